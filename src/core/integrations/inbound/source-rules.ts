import type { SecurityMode } from '../../../contract/security-mode.ts';
import type { Vendor } from '../../../contract/vendors.ts';
import type { Config } from '../../config/config.ts';
import type { SourceRule } from '../../config/webhook-settings.ts';

/** The effective rules for a repository, project or team. */
export interface SourceRules {
  /** The name of the rule, as the settings have it; undefined where none fits. */
  name: string | undefined;
  isEnabled: boolean;
  aiTaskLabel: string;
  botAccount: string | undefined;
  repository: string | undefined;
  branch: string | undefined;
  agent: string | undefined;
  mode: SecurityMode | undefined;
  /** The checkout in which an agent that runs programs gets a worktree. */
  cwd: string | undefined;
  /** Maps priority names and words in labels, in lower case, to priorities. */
  priorities: ReadonlyMap<string, 1 | 2 | 3 | 4>;
  /** The e-mail address of the tasks' owner; by default the owner of the machine, or the first administrator. */
  ownerEmail: string | undefined;
  isTrusted: boolean;
  hasComments: boolean;
  commenters: 'anyone' | 'members';
  checks: 'off' | 'task-branches' | 'all';
  hasFollowUps: boolean;
  pushesFollowUps: boolean;
  /** In lower case. */
  allowBots: readonly string[];
}

/** Resolves the rules for a repository, project or team from the current settings; the most specific name wins. */
export function rulesOf(config: Config, provider: Vendor, context: string | undefined): SourceRules {
  const { name, rule } = closest(config.get(`webhooks.${provider}.rules`), context?.toLowerCase());
  return {
    name,
    isEnabled: rule.enabled ?? true,
    aiTaskLabel: rule.aiTaskLabel ?? config.get(`webhooks.${provider}.aiTaskLabel`),
    botAccount: rule.botAccount ?? config.get(`webhooks.${provider}.botAccount`),
    repository: rule.repository,
    branch: rule.branch,
    agent: rule.agent,
    mode: rule.mode,
    cwd: rule.cwd,
    priorities: new Map(
      Object.entries(rule.priorities ?? {}).map(([word, priority]) => [
        word.toLowerCase(),
        priority as 1 | 2 | 3 | 4,
      ]),
    ),
    ownerEmail: rule.owner,
    isTrusted: rule.trusted ?? false,
    hasComments: rule.comments ?? config.get(`webhooks.${provider}.comments`),
    commenters: rule.commenters ?? 'anyone',
    checks: rule.checks ?? 'off',
    hasFollowUps: rule.followUps ?? false,
    pushesFollowUps: rule.pushFollowUps ?? false,
    allowBots: (rule.allowBots ?? []).map((name) => name.toLowerCase()),
  };
}

/** An exact name wins over patterns; among patterns, the longest wins. */
function closest(
  rules: Record<string, SourceRule>,
  context: string | undefined,
): { name: string | undefined; rule: SourceRule } {
  let best: { weight: number; name: string; rule: SourceRule } | undefined;
  for (const [pattern, rule] of Object.entries(rules)) {
    if (!matches(pattern.toLowerCase(), context ?? '')) continue;
    const weight = pattern.includes('*') ? pattern.replaceAll('*', '').length : Number.POSITIVE_INFINITY;
    if (!best || weight > best.weight) best = { weight, name: pattern, rule };
  }
  return best ?? { name: undefined, rule: {} };
}

/** Matches a pattern in which `*` stands for any text, in linear time. */
function matches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - at >= last.length && text.endsWith(last);
}
