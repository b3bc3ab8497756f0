interface Field {
  name: string;
  takes: string;
}

const second: Field = { name: 'second', takes: '0–59' };
const fields: readonly Field[] = [
  { name: 'minute', takes: '0–59' },
  { name: 'hour', takes: '0–23' },
  { name: 'day of the month', takes: '1–31, L for the last one, 15W for the nearest weekday' },
  { name: 'month', takes: '1–12 or JAN–DEC' },
  {
    name: 'day of the week',
    takes: '0–7 (0 and 7 are Sunday) or SUN–SAT, FRI#2 for the second, FRI#L for the last',
  },
];
const nicknames = ['@hourly', '@daily', '@midnight', '@weekly', '@monthly', '@yearly', '@annually'];
const forms = 'and with them *, lists 1,15, ranges 1-5 and steps */10 or 8-18/2';

/** Whether a text has the form of a cron expression, regardless of its values. */
export function isCronShape(expression: string): boolean {
  if (expression.startsWith('@')) return nicknames.includes(expression.toLowerCase());
  return [5, 6].includes(partsOf(expression).length);
}

/** Describes what is wrong with an expression and what is allowed. */
export function explainCron(expression: string, isRead: (expression: string) => boolean): string {
  if (expression.startsWith('@'))
    return `${quote(expression)} is not known. There are ${nicknames.join(', ')}, or five fields.`;
  const parts = partsOf(expression);
  if (parts.length !== 5 && parts.length !== 6)
    return `${quote(expression)} has ${parts.length} ${parts.length === 1 ? 'field' : 'fields'}. Expected five (${fields.map(({ name }) => name).join(', ')}), or six with the second before them.`;
  const meant = parts.length === 6 ? [second, ...fields] : fields;
  for (const [at, part] of parts.entries()) {
    const alone = parts.map((_, index) => (index === at ? part : '*')).join(' ');
    const field = meant[at];
    if (field && !isRead(alone))
      return `${quote(part)} is no ${field.name}. It takes ${field.takes}, ${forms}.`;
  }
  return `${quote(expression)} is no cron expression.`;
}

const partsOf = (expression: string) => expression.trim().split(/\s+/);
const quote = (text: string) => `"${text}"`;
