import type { Client } from '../../../contract/client.ts';
import type { Policy } from '../../../contract/policy.ts';
import type { SecurityMode } from '../../../contract/security-mode.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { closest } from '../../../contract/closest.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { modeMeanings } from '../../../contract/mode-meanings.ts';
import { ruleMatches } from '../../../contract/tool-rules.ts';

export interface SetPolicyOptions {
  mode?: SecurityMode;
  allow?: string[];
  disallow?: string[];
  block?: string[];
  unblock?: string[];
  requireApproval?: string[];
  noApproval?: string[];
  json?: boolean;
}

type ListName = 'allowedTools' | 'blockedTools' | 'requireApprovalFor';
interface ListChange {
  list: ListName;
  title: string;
  add: string[];
  remove: string[];
}

/** `svc policy set`: changes only what is named. */
export async function setPolicy(cli: Cli, options: SetPolicyOptions): Promise<void> {
  const { output } = cli;
  const changes = changesOf(options);
  if (options.mode === undefined && changes.every(({ add, remove }) => add.length + remove.length === 0))
    throw new CliError(exitCodes.usage, 'Nothing to change.', { next: 'See: svc policy set --help' });
  const { client } = cli.connect();
  const policy = await client.policy.get();
  const { body, lines } = compare(policy, options.mode, changes);
  const answer = Object.keys(body).length > 0 ? await client.policy.update({ body }) : policy;
  if (options.json) output.json(answer);
  else if (lines.length === 0) output.note('The policy is unchanged.');
  else output.write(lines.map((line) => `${line}\n`).join(''));
  await warn(cli, client, answer, changes);
}

function changesOf(options: SetPolicyOptions): ListChange[] {
  const { allow = [], disallow = [], block = [], unblock = [] } = options;
  const { requireApproval = [], noApproval = [] } = options;
  const changes: ListChange[] = [
    { list: 'allowedTools', title: 'allowed', add: allow, remove: disallow },
    { list: 'blockedTools', title: 'blocked', add: block, remove: unblock },
    { list: 'requireApprovalFor', title: 'approval required', add: requireApproval, remove: noApproval },
  ];
  for (const { title, add, remove } of changes) {
    const both = add.find((name) => remove.includes(name));
    if (both !== undefined)
      throw new CliError(exitCodes.usage, `${both} cannot be both added to and removed from "${title}".`, {
        next: 'See: svc policy set --help',
      });
  }
  return changes;
}

/** The patch to send, and one line for each change. */
function compare(policy: Policy, mode: SecurityMode | undefined, changes: ListChange[]) {
  const body: Partial<Policy> = {};
  const lines: string[] = [];
  if (mode !== undefined && mode !== policy.defaultMode) {
    body.defaultMode = mode;
    lines.push(`mode: ${policy.defaultMode} → ${mode} (${modeMeanings[mode]})`);
  }
  for (const { list, title, add, remove } of changes) {
    const present = policy[list];
    const added = [...new Set(add)].filter((name) => !present.includes(name));
    const removed = present.filter((name) => remove.includes(name));
    if (added.length + removed.length === 0) continue;
    body[list] = [...present.filter((name) => !removed.includes(name)), ...added];
    const words = [...added.map((name) => `+ ${name}`), ...removed.map((name) => `- ${name}`)];
    lines.push(`${title}: ${words.map(escapeLine).join(', ')}`);
  }
  return { body, lines };
}

/** Warns about rules without effect, such as those with a typing error. */
async function warn(cli: Cli, client: Client, policy: Policy, changes: ListChange[]): Promise<void> {
  const { output } = cli;
  const say = (text: string) => output.note(`${output.paintError('yellow', '!')} ${escapeLine(text)}`);
  const named = changes.flatMap(({ add }) => add).filter((name) => !name.endsWith('*'));
  const known = named.length === 0 ? [] : (await client.tools.list()).tools.map(({ name }) => name);
  for (const name of new Set(named)) {
    if (known.includes(name)) continue;
    const meant = closest(name, known);
    say(
      `No tool is currently named ${name}.${meant === undefined ? ' See: svc tools ls' : ` Did you mean ${meant}?`}`,
    );
  }
  for (const name of policy.allowedTools)
    if (policy.blockedTools.includes(name))
      say(`${name} is both allowed and blocked; blocking takes precedence.`);
  for (const { list, title, remove } of changes)
    for (const name of remove)
      if (coveredBy(policy[list], name))
        say(`${name} still matches ${coveredBy(policy[list], name)} (${title}).`);
}

/** The rule with a * that a name still falls under. */
const coveredBy = (rules: string[], name: string) =>
  rules.find((rule) => rule !== name && ruleMatches(rule, name));
