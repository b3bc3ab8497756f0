import type { PermissionAnswer, PromptImage } from '../driver.ts';

/** An object of a line, of which nothing is known yet. */
export type Fields = Record<string, unknown>;

/** The id of a request of the CLI, which its answer repeats. */
export type RequestId = string | number;

/** The object in a line; undefined for anything else, such as a line that was cut. */
export function readLine(line: string): Fields | undefined {
  try {
    return fields(JSON.parse(line));
  } catch {
    // The CLI and its hooks may print anything between its messages.
    return undefined;
  }
}

export const fields = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;

/** The objects of a list; what is no object is left out. */
export const fieldsList = (value: unknown): Fields[] =>
  Array.isArray(value) ? value.map(fields).filter((item) => item !== undefined) : [];

/** A text that is not empty. */
export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** An id, which some versions write as a number. */
export const idOf = (value: unknown): string | undefined =>
  typeof value === 'number' ? String(value) : text(value);

/** A number that can count something. */
export const amount = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

export const controlRequest = (id: string, subtype: 'initialize' | 'interrupt'): object => ({
  type: 'control_request',
  request_id: id,
  request: { subtype },
});

export const userMessage = (prompt: string, images: readonly PromptImage[], session: string): object => ({
  type: 'user',
  message: {
    role: 'user',
    content: [
      ...images.map(({ mediaType, base64 }) => ({
        type: 'image',
        source: { type: 'base64', media_type: mediaType, data: base64 },
      })),
      { type: 'text', text: prompt },
    ],
  },
  parent_tool_use_id: null,
  session_id: session,
});

/** The answer to a permission question. It never holds `updatedPermissions`: the CLI would write them into the worktree. */
export function permissionResponse(id: RequestId, answer: PermissionAnswer, input: Fields): object {
  const response =
    answer.decision === 'allow'
      ? { behavior: 'allow', updatedInput: input }
      : answer.decision === 'deny'
        ? { behavior: 'deny', message: answer.reason || 'This tool call was denied.' }
        : { behavior: 'deny', message: 'The run was cancelled.', interrupt: true };
  return { type: 'control_response', response: { subtype: 'success', request_id: id, response } };
}

export const errorResponse = (id: RequestId, error: string): object => ({
  type: 'control_response',
  response: { subtype: 'error', request_id: id, error },
});
