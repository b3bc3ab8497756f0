/** Whether only the machine of the daemon reaches a link. */
export function isOnlyHere(link: string): boolean {
  const { hostname } = new URL(link);
  return /^(?:localhost|.*\.localhost|127\..*|\[::1\])$/.test(hostname);
}
