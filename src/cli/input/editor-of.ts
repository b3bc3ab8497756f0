/** The editor that a person has set, as a shell command. */
export const editorOf = (env: Record<string, string | undefined>): string =>
  env['VISUAL'] || env['EDITOR'] || 'vi';
