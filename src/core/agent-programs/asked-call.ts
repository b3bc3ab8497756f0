import { resolve } from 'node:path';
import type { AgentCall, PermissionQuestion } from '../agents/drivers/driver.ts';
import { resolveRealPath } from '../paths/real-path.ts';
import { whyRisky } from '../tools/commands/risky-programs.ts';
import { isReadOnly } from '../tools/commands/read-only-commands.ts';
import { runCommandName } from '../tools/commands/run-command.ts';
import { mcpToolName } from '../tools/mcp/mcp-tool.ts';
import {
  type ChangePreview,
  defineTool,
  type Tool,
  type ToolAccess,
  type ToolContext,
  ToolFailure,
  type ToolOutput,
} from '../tools/tool.ts';
import { jsonObjectSchema } from '../../contract/primitives.ts';
import { argumentPaths } from '../tools/commands/argument-paths.ts';
import { previewOf } from './change-preview.ts';
import { readShellWords } from './shell-words.ts';
import { shownArguments } from './shown-arguments.ts';

/** Who asks, and how its call runs once it is allowed. */
export interface AskingAgent {
  agent: string;
  session: string;
  /** The directory of the work, as a real absolute path. */
  workspace: string;
  /** The sandbox that it runs in, with the directories besides the workspace that may hold files of people; none unless set. */
  sandbox?: { visible: readonly string[] };
  /** Lets the agent run the call; resolves with what it reports, and throws a `ToolFailure` for a call that failed. */
  run: () => Promise<ToolOutput>;
}

/** A call that an agent asks for, as the gate takes it. */
export interface AskedCall {
  name: string;
  args: Record<string, unknown>;
  tool: Tool;
}

/**
 * Maps a call that an agent runs itself to the tool that the policy knows, so that the same rules hold whatever agent
 * makes it. A call that svc cannot map has a name of its own, and needs a decision each time.
 */
export function askedCall(question: PermissionQuestion, asking: AskingAgent): AskedCall {
  const { bound = {} } = question;
  const kind = kinds[question.call.kind](question, asking);
  const external = { agent: asking.agent, session: asking.session, call: bound };
  const environment = asking.sandbox ? 'sandbox' : 'no sandbox';
  const tool = defineTool({
    description: '',
    input: jsonObjectSchema,
    isReadOnly: false,
    danger: 'high',
    ...kind,
    plan: async (_args, context) => {
      if (question.bound === undefined)
        throw new ToolFailure(`${asking.agent} did not say what the call does, so it cannot be allowed`);
      const access = await kind.access(context);
      const unclear = question.isExact ? undefined : 'The agent describes the call only in words';
      const needsPerson = hiddenArguments(question, asking.agent) ?? access.needsPerson ?? unclear;
      return {
        access: {
          ...access,
          external,
          environment,
          // The mode `full` asks no person; the guards hold in it, and the sandbox.
          ...(context.mode === 'full' || needsPerson === undefined
            ? { needsPerson: undefined }
            : { needsPerson }),
        } as ToolAccess,
        ...(kind.preview && { preview: kind.preview }),
        run: asking.run,
      };
    },
  });
  return { name: tool.name, args: shownArguments(argumentsOf(bound), asking.workspace), tool };
}

const hiddenArguments = ({ hidesArguments }: PermissionQuestion, agent: string) =>
  hidesArguments ? `${agent} does not say the arguments of this call before it runs` : undefined;

/** The name by which the policy and people know the tool of a call. */
export function callName(call: AgentCall, agent: string): string {
  const { kind, name } = call;
  if (kind === 'mcp') return name;
  const asking = { agent, session: '', workspace: '/', run: () => Promise.reject(new Error('not run')) };
  return kinds[kind]({ call, bound: undefined, isExact: true }, asking).name;
}

/** The arguments alone, where an agent sends them beside the name of its tool. */
function argumentsOf(bound: Record<string, unknown>): Record<string, unknown> {
  const { input } = bound;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return bound;
  const { input: _input, tool: _tool, ...others } = bound;
  return { ...others, ...input };
}

interface AskedKind extends Pick<Tool, 'name'>, Partial<Pick<Tool, 'isReadOnly' | 'danger' | 'server'>> {
  access: (context: ToolContext) => ToolAccess | Promise<ToolAccess>;
  preview?: (scope: { paths: string[] }) => Promise<ChangePreview>;
}

const kinds: Record<
  PermissionQuestion['call']['kind'],
  (question: PermissionQuestion, asking: AskingAgent) => AskedKind
> = {
  shell: (question, asking) => ({
    name: runCommandName,
    // Without a sandbox a shell may read whatever the daemon can.
    isReadOnly: asking.sandbox !== undefined && onlyReads(question.command?.text ?? ''),
    access: (context) => shellAccess(question, asking, context),
  }),
  edit: ({ paths = [], call: { diff = [] } }) => {
    const [first] = diff;
    const isNewFile =
      diff.length > 0 && diff.every(({ oldText = '', newText }) => oldText === '' && newText !== undefined);
    return {
      name: isNewFile ? 'write_file' : 'edit_file',
      danger: 'medium',
      access: () =>
        paths.length > 0 ? { paths } : { needsPerson: 'The agent does not say which files the call changes' },
      ...(first && diff.length === 1 && { preview: ({ paths: [real = ''] }) => previewOf(first, real) }),
    };
  },
  read: ({ paths = [] }) => ({
    name: 'read_file',
    isReadOnly: true,
    danger: 'low',
    access: () => ({ paths }),
  }),
  mcp: ({ mcp, call }, asking) =>
    mcp
      ? { name: mcpToolName(mcp.server, mcp.tool), server: mcp.server, access: () => ({}) }
      : unknownKind(asking.agent, call.name),
  plan: () => ({ name: 'update_plan', isReadOnly: true, danger: 'low', access: () => ({}) }),
  other: ({ call }, asking) => unknownKind(asking.agent, call.name),
};

const unknownKind = (agent: string, name: string): AskedKind => ({
  name: `${agent}__${name}`.replaceAll(/[^\w-]/g, '_').slice(0, 64),
  access: () => ({ needsPerson: `svc does not know what ${name} of ${agent} does` }),
});

async function shellAccess(
  { command = { text: '' } }: PermissionQuestion,
  { sandbox }: AskingAgent,
  { workspace }: ToolContext,
): Promise<ToolAccess> {
  const cwd = await resolveRealPath(workspace, command.cwd ?? '.');
  const text = shellTextOf(command.text);
  const { argvs, redirects } = readShellWords(text);
  const sandboxed = sandbox && { workspace, others: sandbox.visible };
  const named = await Promise.all(argvs.map((argv) => argumentPaths(argv, cwd, sandboxed)));
  const [argv = ['']] = argvs;
  const risk = argvs.map(whyRisky).find((reason) => reason !== undefined);
  const writes = redirects.some(({ operation }) => operation === 'write') || !argvs.every(isReadOnly);
  return {
    paths: [
      { path: cwd, operation: 'write' },
      ...named.flat(),
      ...redirects.map((one) => ({ ...one, path: fromDirectory(cwd, one.path) })),
    ],
    command: {
      argv,
      cwd,
      parts: argvs.map((one, index) => ({
        argv: one,
        redirects: [],
        ...(index > 0 && { operator: '&&' as const }),
      })),
    },
    isShellText: true,
    covered: [command.text, cwd],
    ...(risk !== undefined && { needsPerson: risk }),
    ...(risk === undefined &&
      writes &&
      !isPlain(text) && { needsPerson: 'A shell interprets the text of the command' }),
  };
}

/** What the shell runs that a command starts for nothing but its text, as Codex does for each. */
function shellTextOf(command: string): string {
  const { argvs } = readShellWords(command);
  const [[shell = '', option = '', text] = []] = argvs;
  const isShell = /^(?:\/usr)?(?:\/bin\/)?(?:ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(option);
  return argvs.length === 1 &&
    argvs[0]?.length === 3 &&
    isShell &&
    text !== undefined &&
    !/[;&|<>]$|^\w+=/.test(command)
    ? text
    : command;
}

/** What a shell would expand stays as it is, for the guards to judge. */
const fromDirectory = (cwd: string, path: string) => (/^[~$]/.test(path) ? path : resolve(cwd, path));

/** Whether a text runs programs that only read, alone or one after the other, and nothing else. */
function onlyReads(command: string): boolean {
  const text = shellTextOf(command);
  const { argvs, redirects } = readShellWords(text);
  // An assignment in front of a program may make it run another one.
  const isSimple =
    isPlain(text.replaceAll(/ 2>(?:&1|\/dev\/null)|\|\||&&|[|;]/g, ' ')) && !/(?:^|[|;&]) *\w+=/.test(text);
  return (
    isSimple &&
    argvs.length > 0 &&
    argvs.every(isReadOnly) &&
    !redirects.some(({ operation }) => operation === 'write')
  );
}

/** Whether the words of a text are all that a shell sees in it. */
const isPlain = (text: string) => !/[$`\\*?[\]{}<>;&|()#!~\n\r]/.test(text);
