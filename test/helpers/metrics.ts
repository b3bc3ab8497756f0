/** Metrics without the label that names the daemon in a cluster. */
export const withoutDaemon = (text: string): string =>
  text.replace(/daemon="[^"]*",?/g, '').replaceAll('{}', '');
