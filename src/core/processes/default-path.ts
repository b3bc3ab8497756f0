/** Where programs are looked for when the daemon's environment names no PATH. */
export const defaultPath = '/usr/local/bin:/usr/bin:/bin';
