/**
 * Where this page stands, read from its own URL: on its own, or inside the host's management pages.
 *
 * Inside, everything before `/resource/plugins/<id>/` is the host's prefix (`/v0`, `/v8`, a reverse proxy's
 * path before them), and the API is behind the management key.
 */

const IN_HOST = /^(?<prefix>.*)\/resource\/plugins\/(?<plugin>[^/]+)\//;

/** The place of a page with this path. */
export function placeOf(path) {
  const found = IN_HOST.exec(path)?.groups;
  if (!found) {
    const root = path.slice(0, path.lastIndexOf("/") + 1);
    return { inHost: false, api: `${root}api/v1`, live: `${root}live`, root };
  }
  const routes = `${found.prefix}/management/plugins/${found.plugin}`;
  return { inHost: true, api: `${routes}/api/v1`, config: `${routes}/config`, plugin: found.plugin };
}

export const place = placeOf(location.pathname);
