/** The value of JSON given as text, as environment variables and the standard input of the command line have it. */
export function parseJsonText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    // As text it is not what is expected, which the schema says.
    return value;
  }
}
