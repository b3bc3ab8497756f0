/** What can be read of a task as a resource. */
export const taskParts = ['output', 'diff'] as const;
export type TaskPart = (typeof taskParts)[number];

/** The URI of a part of a task, or its template where the id is `{id}`. */
export const taskUri = (id: string, part: TaskPart): string => `svc://tasks/${id}/${part}`;

/** What a URI names; undefined where it names no part of a task. */
export function readTaskUri(uri: string): { id: string; part: TaskPart } | undefined {
  const { id, part } = /^svc:\/\/tasks\/(?<id>[\w-]{1,200})\/(?<part>output|diff)$/.exec(uri)?.groups ?? {};
  return id === undefined ? undefined : { id, part: part as TaskPart };
}
