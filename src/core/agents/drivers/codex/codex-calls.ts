import type { AgentCall, CallDiff, CallStatus } from '../driver.ts';
import { isObject } from '../json-rpc.ts';
import { type Fields, fieldsOf, idOf, numberOf, objectsOf, textOf } from './codex-fields.ts';

const STATUSES: Record<string, CallStatus> = {
  inProgress: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  declined: 'declined',
};

/** What an item says of its call, without the fields that every call has. */
type CallPart = Pick<AgentCall, 'kind' | 'name' | 'title' | 'input' | 'output' | 'exitCode' | 'diff'>;

const describe: Record<string, (item: Fields) => CallPart> = {
  commandExecution: (item) => {
    const [command = '', cwd] = [textOf(item['command']), textOf(item['cwd'])];
    return {
      kind: 'shell',
      name: 'commandExecution',
      title: command,
      input: { command, ...(cwd !== undefined && { cwd }) },
      output: textOf(item['aggregatedOutput']),
      exitCode: numberOf(item['exitCode']),
    };
  },
  fileChange: (item) => {
    const changes = changesOf(item);
    return {
      kind: 'edit',
      name: 'fileChange',
      title: changes.map(({ kind, path }) => `${kind} ${path}`.trim()).join(', '),
      input: { paths: changes.map(({ path }) => path) },
      diff: changes.map(toDiff),
    };
  },
  mcpToolCall: (item) => {
    const name = `${textOf(item['server']) ?? ''}.${textOf(item['tool']) ?? ''}`;
    const result = isObject(item['result'])
      ? objectsOf(item['result']['content'])
          .map((part) => textOf(part['text']) ?? `[${textOf(part['type']) ?? 'data'}]`)
          .join('')
      : undefined;
    return {
      kind: 'mcp',
      name,
      title: name,
      input: isObject(item['arguments']) ? item['arguments'] : undefined,
      output: result ?? textOf(fieldsOf(item['error'])['message']),
    };
  },
  imageView: (item) => ({ ...describeOther(item, ['path']), kind: 'read' }),
  webSearch: (item) => describeOther(item, ['query']),
  imageGeneration: (item) => describeOther(item, ['revisedPrompt']),
  dynamicToolCall: (item) => describeOther(item, ['tool', 'arguments']),
  collabAgentToolCall: (item) => describeOther(item, ['tool', 'prompt']),
};

function describeOther(item: Fields, fields: readonly string[]): CallPart {
  const input = Object.fromEntries(
    fields.flatMap((field) => ((item[field] ?? undefined) === undefined ? [] : [[field, item[field]]])),
  );
  const type = textOf(item['type']) ?? '';
  return { kind: 'other', name: type, title: textOf(Object.values(input)[0]) ?? type, input };
}

interface FileChange {
  path: string;
  /** `add`, `update` or `delete`. */
  kind: string;
  /** Where the file is moved to. */
  movePath?: string | undefined;
  diff: string;
}

/** The files that an item changes. */
export const changesOf = (item: Fields): FileChange[] =>
  objectsOf(item['changes']).map(({ path, kind, diff }) => ({
    path: textOf(path) ?? '',
    kind: textOf(kind) ?? textOf(fieldsOf(kind)['type']) ?? '',
    movePath: textOf(fieldsOf(kind)['move_path']) ?? textOf(fieldsOf(kind)['movePath']),
    diff: textOf(diff) ?? '',
  }));

/** For a file that is added or deleted, what Codex calls its diff is the whole text. */
function toDiff({ path, kind, diff }: FileChange): CallDiff {
  if (kind === 'add') return { path, oldText: '', newText: diff };
  return kind === 'delete' ? { path, oldText: diff, newText: '' } : { path, diff };
}

/** A call with what its agent said of it. */
export interface JoinedCall {
  call: AgentCall;
  item: Fields;
}

const isOpen = ({ call }: JoinedCall) => call.status === 'in_progress' || call.status === 'pending';

/** The tool calls of a session, as its items describe them. */
export class CodexCalls {
  readonly #calls = new Map<string, JoinedCall>();

  /** Takes an item that has started or is completed; undefined where it is no call. */
  update(item: Fields, isCompleted: boolean): AgentCall | undefined {
    const [id, type = ''] = [idOf(item['id']), textOf(item['type'])];
    if (id === undefined || !Object.hasOwn(describe, type)) return undefined;
    const known = this.#calls.get(id);
    const status = STATUSES[textOf(item['status']) ?? ''] ?? (isCompleted ? 'completed' : 'in_progress');
    const part = describe[type]?.(item);
    if (!part) return undefined;
    // A model may number its calls anew in each turn.
    if (!known || (!isCompleted && !isOpen(known))) {
      const call: AgentCall = { id, status, ...part };
      this.#calls.set(id, { call, item });
      return call;
    }
    known.item = item;
    return Object.assign(known.call, part, { status, output: part.output ?? known.call.output });
  }

  /** Takes a newer version of the files that a running call changes. */
  updateChanges(id: unknown, changes: unknown): AgentCall | undefined {
    const known = this.findOpen(id, 'fileChange');
    return known && this.update({ ...known.item, changes }, false);
  }

  appendOutput(id: unknown, delta: string): AgentCall | undefined {
    const known = this.findOpen(id, 'commandExecution');
    return known && Object.assign(known.call, { output: (known.call.output ?? '') + delta });
  }

  /** The call of this type that has not ended. */
  findOpen(id: unknown, type: string): JoinedCall | undefined {
    const known = this.#calls.get(idOf(id) ?? '');
    return known && isOpen(known) && known.item['type'] === type ? known : undefined;
  }

  /** All calls of this type that have not ended. */
  allOpen(type: string): JoinedCall[] {
    return [...this.#calls.values()].filter((known) => isOpen(known) && known.item['type'] === type);
  }
}
