import type { ProviderName } from '../../../contract/oauth.ts';
import type { Config } from '../../config/config.ts';
import type { SourceRule } from '../../config/webhook-settings.ts';

/** What holds for one repository, project or team. */
export interface SourceRules {
  isEnabled: boolean;
  aiTaskLabel: string;
  botAccount: string | undefined;
  repository: string | undefined;
  branch: string | undefined;
  agent: string | undefined;
  /** Names of priorities and words of labels, in lower case, by the priority that they mean. */
  priorities: ReadonlyMap<string, 1 | 2 | 3 | 4>;
  /** The e-mail address of the owner of the tasks; the owner of the machine, or the first administrator, unless set. */
  ownerEmail: string | undefined;
  isTrusted: boolean;
  hasComments: boolean;
  commenters: 'anyone' | 'members';
  checks: 'off' | 'task-branches' | 'all';
  /** In lower case. */
  allowBots: readonly string[];
}

/** The rules of a provider for the place, read anew so that a change counts at once: the closest name wins. */
export function rulesOf(config: Config, provider: ProviderName, place: string | undefined): SourceRules {
  const rule = closest(config.get(`webhooks.${provider}.rules`), place?.toLowerCase());
  return {
    isEnabled: rule.enabled ?? true,
    aiTaskLabel: rule.aiTaskLabel ?? config.get(`webhooks.${provider}.aiTaskLabel`),
    botAccount: rule.botAccount ?? config.get(`webhooks.${provider}.botAccount`),
    repository: rule.repository,
    branch: rule.branch,
    agent: rule.agent,
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
    allowBots: (rule.allowBots ?? []).map((name) => name.toLowerCase()),
  };
}

/** A name without a star before any pattern; among patterns the one that says most. */
function closest(rules: Record<string, SourceRule>, place: string | undefined): SourceRule {
  let best: { weight: number; rule: SourceRule } | undefined;
  for (const [pattern, rule] of Object.entries(rules)) {
    if (!matches(pattern.toLowerCase(), place ?? '')) continue;
    const weight = pattern.includes('*') ? pattern.replaceAll('*', '').length : Number.POSITIVE_INFINITY;
    if (!best || weight > best.weight) best = { weight, rule };
  }
  return best?.rule ?? {};
}

/** Whether the text is the pattern, whose stars stand for any text; takes time in proportion to both. */
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
