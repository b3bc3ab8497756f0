import { isDeepStrictEqual } from 'node:util';
import type { AgentCall, CallKind, PermissionAnswer, PermissionQuestion } from '../driver.ts';
import { type CodexCalls, type JoinedCall, changesOf } from './codex-calls.ts';
import { type Fields, fieldsOf, objectsOf, textOf } from './codex-fields.ts';

type Decision = PermissionAnswer['decision'];

export interface CodexQuestion {
  question: PermissionQuestion;
  /** The result of the request. Codex is never told to remember a decision. */
  answer: (decision: Decision) => object;
}

const answerReview = (decision: Decision) => ({
  decision: { allow: 'accept', deny: 'decline', cancelled: 'cancel' }[decision],
});
const answerElicitation = (decision: Decision) => ({
  action: { allow: 'accept', deny: 'decline', cancelled: 'cancel' }[decision],
  content: decision === 'allow' ? {} : null,
  _meta: null,
});

/** Reads the request for a permission; undefined where it is another request. */
export function readQuestion(method: string, params: Fields, calls: CodexCalls): CodexQuestion | undefined {
  switch (method) {
    case 'item/commandExecution/requestApproval':
      return { question: askCommand(params, calls), answer: answerReview };
    case 'item/fileChange/requestApproval':
      return { question: askFileChange(params, calls), answer: answerReview };
    case 'mcpServer/elicitation/request':
      return { question: askElicitation(params, calls), answer: answerElicitation };
    case 'item/tool/requestUserInput':
      return askUserInput(params, calls);
    default:
      return undefined;
  }
}

function askCommand(params: Fields, calls: CodexCalls): PermissionQuestion {
  const joined = calls.findOpen(params['itemId'], 'commandExecution');
  const command = textOf(params['command']);
  if (!joined || command === undefined) return unbound(params, 'shell', command ?? 'commandExecution');
  const { item, call } = joined;
  // Only the parts of one command are asked for one by one: any other command is not the one of the item.
  const isPart = (params['approvalId'] ?? undefined) !== undefined;
  const isOther = ['command', 'cwd'].some(
    (field) => (params[field] ?? item[field]) !== (item[field] ?? params[field]),
  );
  if (isOther && !isPart) return unbound(params, 'shell', command, call);
  const cwd = textOf(params['cwd']) ?? textOf(item['cwd']);
  // More than the command itself, such as a host on the network or a wider sandbox.
  const extra = present(params, ['networkApprovalContext', 'additionalPermissions']);
  return {
    call,
    bound: {
      command,
      cwd: cwd ?? null,
      item: { command: item['command'] ?? null, cwd: item['cwd'] ?? null },
      ...extra,
      ...present(params, ['reason']),
    },
    command: { text: command, cwd },
    isExact: Object.keys(extra).length === 0,
  };
}

function askFileChange(params: Fields, calls: CodexCalls): PermissionQuestion {
  const joined = calls.findOpen(params['itemId'], 'fileChange');
  const changes = joined ? changesOf(joined.item) : [];
  // A yes to a root would hold for everything below it, for the whole session.
  const isRoot = (params['grantRoot'] ?? undefined) !== undefined;
  if (!joined || isRoot || changes.length === 0 || changes.some(({ path }) => path === ''))
    return unbound(params, 'edit', 'fileChange', joined?.call);
  const paths = changes.flatMap(({ path, movePath }) => (movePath === undefined ? [path] : [path, movePath]));
  return {
    call: joined.call,
    bound: {
      changes: changes.map(({ path, kind, movePath, diff }) => ({
        path,
        kind,
        ...(movePath !== undefined && { movePath }),
        diff,
      })),
    },
    paths: paths.map((path) => ({ path, operation: 'write' })),
    isExact: true,
  };
}

/** The request carries no item, but what the item says: server, tool and arguments. */
function askElicitation(params: Fields, calls: CodexCalls): PermissionQuestion {
  const meta = fieldsOf(params['_meta']);
  const joined =
    meta['codex_approval_kind'] === 'mcp_tool_call'
      ? calls
          .allOpen('mcpToolCall')
          .find(
            ({ item }) =>
              item['server'] === params['serverName'] &&
              item['tool'] === meta['tool_name'] &&
              isDeepStrictEqual(item['arguments'] ?? {}, meta['tool_params'] ?? {}),
          )
      : undefined;
  return joined ? askMcp(joined) : unbound(params, 'mcp', textOf(params['message']) ?? 'mcpToolCall');
}

const ALLOW_ONCE = ['Allow', 'Approve Once'];
const DENY = ['Deny', 'Decline', 'Cancel'];

function askUserInput(params: Fields, calls: CodexCalls): CodexQuestion {
  const joined = calls.findOpen(params['itemId'], 'mcpToolCall');
  const questions = objectsOf(params['questions']);
  const id = textOf(questions[0]?.['id']) ?? '';
  const labels = objectsOf(questions[0]?.['options']).map((option) => textOf(option['label']));
  const allow = ALLOW_ONCE.find((label) => labels.includes(label));
  const deny = DENY.find((label) => labels.includes(label));
  // A question of the model's own to its user is none of a permission.
  const isPermission =
    questions.length === 1 && id.startsWith('mcp_tool_call_approval') && allow !== undefined;
  return {
    question:
      joined && isPermission
        ? askMcp(joined)
        : unbound(params, 'mcp', textOf(questions[0]?.['question']) ?? 'requestUserInput', joined?.call),
    answer: (decision) => {
      const label = decision === 'allow' ? allow : deny;
      return { answers: label === undefined ? {} : { [id]: { answers: [label] } } };
    },
  };
}

function askMcp({ call, item }: JoinedCall): PermissionQuestion {
  const [server = '', tool = ''] = [textOf(item['server']), textOf(item['tool'])];
  return {
    call,
    bound: { server, tool, arguments: item['arguments'] ?? {} },
    mcp: { server, tool },
    isExact: true,
  };
}

/** A question that does not say everything that it asks for. */
function unbound(params: Fields, kind: CallKind, title: string, call?: AgentCall): PermissionQuestion {
  const id = textOf(params['itemId']) ?? '';
  const described = call ?? { id, kind, name: title, title, status: 'pending' };
  return { call: described, bound: undefined, isExact: false };
}

const present = (params: Fields, fields: readonly string[]): Fields =>
  Object.fromEntries(
    fields.flatMap((field) => ((params[field] ?? undefined) === undefined ? [] : [[field, params[field]]])),
  );
