/*
 * Where the service listens: `<plugin id>.conf` beside the library, with lines `socket=/path` and
 * `pick_deadline_ms=250`. The variable QUOTA_ROUTER_SOCKET of the host's process comes before the file.
 */
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIBRARY_PATH = 4096 }; /* the longest path that the kernel takes */

static bool is_version(const char *text)
{
    static const char letters[] = "0123456789.+-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return *text >= '0' && *text <= '9' && text[strspn(text, letters)] == '\0';
}

/* Cuts the ending off a file name, and then, as the host does, the last "-v" with a version behind it. */
static void cut_to_id(char *name)
{
    char *ending = strrchr(name, '.'), *version = NULL;
    if (ending != NULL)
        *ending = '\0';
    for (char *at = strstr(name, "-v"); at != NULL; at = strstr(at + 1, "-v"))
        if (is_version(at + 2))
            version = at;
    if (version != NULL)
        *version = '\0';
}

/* The path of this library, cut to its directory (with the slash), and the plugin's id; or false. */
static bool find_library(char directory[LIBRARY_PATH], char id[PLUGIN_ID])
{
    static const char inside = 0;
    Dl_info library;
    if (dladdr(&inside, &library) == 0 || strlen(library.dli_fname) >= LIBRARY_PATH)
        return false;
    strcpy(directory, library.dli_fname);
    char *slash = strrchr(directory, '/'), *name = slash == NULL ? directory : slash + 1;
    cut_to_id(name);
    if (strlen(name) >= PLUGIN_ID)
        return false;
    strcpy(id, name);
    *name = '\0';
    return true;
}

static void read_sidecar(struct settings *settings, const char *path)
{
    char line[2 * SOCKET_PATH], socket[2 * SOCKET_PATH];
    FILE *file = fopen(path, "re"); /* "e" is O_CLOEXEC: the host starts child processes */
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "socket=%207[^\r\n]", socket) == 1 && strlen(socket) < SOCKET_PATH)
            strcpy(settings->socket, socket);
        else
            sscanf(line, "pick_deadline_ms=%5d", &settings->pick_deadline_ms);
    }
    if (file != NULL)
        fclose(file);
}

/* Reads the settings anew; what cannot be read stays empty, and the library then answers by itself. */
void read_settings(struct settings *settings)
{
    char directory[LIBRARY_PATH], path[LIBRARY_PATH + PLUGIN_ID + sizeof ".conf"];
    const char *socket = getenv("QUOTA_ROUTER_SOCKET");
    memset(settings, 0, sizeof *settings);
    if (find_library(directory, settings->plugin)) {
        snprintf(path, sizeof path, "%s%s.conf", directory, settings->plugin);
        read_sidecar(settings, path);
    }
    if (socket != NULL && *socket != '\0' && strlen(socket) < SOCKET_PATH)
        strcpy(settings->socket, socket);
}
