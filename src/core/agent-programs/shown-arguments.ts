/** How agents name the file that a call is about. */
const pathNames = new Set(['file_path', 'filePath', 'filepath', 'notebook_path', 'absolute_path']);
/** What people want to see first of a call. */
const firstNames = ['command', 'path', 'pattern', 'url', 'query'];

/** The arguments of a call for people: by the names that the tools of svc have, with paths as they are in the workspace. */
export function shownArguments(args: Record<string, unknown>, workspace: string): Record<string, unknown> {
  const named = Object.entries(args).map(([name, value]) => [
    pathNames.has(name) && !('path' in args) ? 'path' : name,
    value,
  ]);
  const shown = JSON.parse(JSON.stringify(Object.fromEntries(named)), (_, value: unknown) =>
    typeof value === 'string' ? inWorkspace(value, workspace) : value,
  ) as Record<string, unknown>;
  const first = firstNames.filter((name) => name in shown).map((name) => [name, shown[name]]);
  return { ...Object.fromEntries(first), ...shown };
}

/** A path of the workspace as it is in it; any other text as it is. */
const inWorkspace = (text: string, workspace: string): string =>
  text.startsWith(`${workspace}/`) ? text.slice(workspace.length + 1) : text;
