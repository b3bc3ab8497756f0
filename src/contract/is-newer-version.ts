/** Whether a version such as 1.2.0 is newer than another; what follows a dash is not compared. */
export function isNewerVersion(version: string, than: string): boolean {
  const [left, right] = [version, than].map((each) => (each.split('-')[0] ?? '').split('.').map(Number));
  for (let at = 0; at < 3; at++) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
