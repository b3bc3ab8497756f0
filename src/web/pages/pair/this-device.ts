const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Macintosh/, 'Mac'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];
const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/Edg/, 'Edge'],
  [/Firefox|FxiOS/, 'Firefox'],
  [/Chrome|CriOS/, 'Chrome'],
  [/Safari/, 'Safari'],
];

const find = (list: typeof systems, agent: string) => list.find(([pattern]) => pattern.test(agent))?.[1];

/** What this device calls itself unless its person says otherwise. */
export function deviceName(agent = navigator.userAgent): string {
  const system = find(systems, agent);
  if (system === 'Android') return 'Android phone';
  return system ?? 'Browser';
}

/** The browser and the system, as the approver reads it. */
export const platformName = (agent = navigator.userAgent): string =>
  [find(browsers, agent) ?? 'Browser', find(systems, agent)].filter(Boolean).join(' on ');
