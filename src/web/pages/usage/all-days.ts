const DAY_MS = 86_400_000;

/** Every day from one to another, such as `2026-03-01`. */
export function allDays(from: string, to: string): string[] {
  const days: string[] = [];
  for (let time = Date.parse(from); time <= Date.parse(to); time += DAY_MS)
    days.push(new Date(time).toISOString().slice(0, 10));
  return days;
}
