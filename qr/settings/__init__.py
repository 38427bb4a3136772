"""The settings: what they are, how they are read and checked, how they are shown.

`document` turns YAML into values that know their line, `kinds` and `texts` say what a value may be, `keys`
and `model` what each setting is, `reading` puts it together, `display` shows the result.
"""

from qr.settings.display import Change, Changes, as_dict, changed, dump
from qr.settings.keys import Key
from qr.settings.model import KEYS, Settings
from qr.settings.problems import Problem, SettingsError
from qr.settings.reading import load_settings, parse_settings, settings_from
from qr.settings.texts import beyond_loopback

__all__ = [
    "KEYS",
    "Change",
    "Changes",
    "Key",
    "Problem",
    "Settings",
    "SettingsError",
    "as_dict",
    "beyond_loopback",
    "changed",
    "dump",
    "load_settings",
    "parse_settings",
    "settings_from",
]
