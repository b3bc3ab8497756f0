/** The PATH used when the daemon's environment has none. */
export const defaultPath = '/usr/local/bin:/usr/bin:/bin';
