import type {
  A2aArtifact,
  A2aMessage,
  A2aPart,
  A2aState,
  A2aStatus,
  A2aTask,
  A2aUpdate,
} from '../../contract/a2a-messages.ts';

/** A state as version 0.3 names it, such as `auth-required`. */
const legacyState = (state: A2aState): string =>
  state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-');

/** In these a task takes no further change, so that its stream ends. */
const final: ReadonlySet<A2aState> = new Set([
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
]);

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function legacyPart({ text, data, raw, url, filename, mediaType, metadata }: A2aPart): object {
  const more = metadata && { metadata };
  if (text !== undefined) return { kind: 'text', text, ...more };
  if (data !== undefined)
    return isObject(data)
      ? { kind: 'data', data, ...more }
      : // As the official packages say other values in a version whose data are objects.
        { kind: 'data', data: { value: data }, metadata: { ...metadata, data_part_compat: true } };
  const file = { name: filename, mimeType: mediaType };
  return { kind: 'file', file: raw === undefined ? { ...file, uri: url } : { ...file, bytes: raw }, ...more };
}

const legacyMessage = ({ role, parts, ...message }: A2aMessage): object => ({
  kind: 'message',
  ...message,
  role: role === 'ROLE_USER' ? 'user' : 'agent',
  parts: parts.map(legacyPart),
});

const legacyStatus = ({ state, timestamp, message }: A2aStatus): object => ({
  state: legacyState(state),
  timestamp,
  ...(message && { message: legacyMessage(message) }),
});

const legacyArtifact = ({ parts, ...artifact }: A2aArtifact): object => ({
  ...artifact,
  parts: parts.map(legacyPart),
});

/** A task in the form of version 0.3. */
export const legacyTask = ({ status, artifacts, history, ...task }: A2aTask): object => ({
  kind: 'task',
  ...task,
  status: legacyStatus(status),
  ...(artifacts && { artifacts: artifacts.map(legacyArtifact) }),
  ...(history && { history: history.map(legacyMessage) }),
});

/** An event of a stream in the form of version 0.3. */
export function legacyUpdate(update: A2aUpdate): object {
  if ('task' in update) return legacyTask(update.task);
  if ('statusUpdate' in update) {
    const { status, ...ids } = update.statusUpdate;
    return { kind: 'status-update', ...ids, status: legacyStatus(status), final: final.has(status.state) };
  }
  const { artifact, ...rest } = update.artifactUpdate;
  return { kind: 'artifact-update', ...rest, artifact: legacyArtifact(artifact) };
}
