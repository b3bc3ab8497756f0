import type { SourceRules } from '../../src/core/integrations/inbound/source-rules.ts';
import type { SourceHeaders } from '../../src/core/integrations/inbound/source-work.ts';
import { sharedFixture } from './shared-fixture.ts';

export interface RecordedDelivery<Facts> {
  id: string;
  headers: SourceHeaders;
  /** What the body says, taken from it without any rule. */
  facts: Facts;
  payload: unknown;
}

/** Every recorded delivery of a vendor; none where there are no fixtures. */
export const recordedDeliveries = <Facts>(vendor: 'github' | 'jira' | 'linear'): RecordedDelivery<Facts>[] =>
  (sharedFixture<{ id: string }[]>('webhooks/index.json') ?? [])
    .filter(({ id }) => id.startsWith(`${vendor}/`))
    .map(({ id }) => {
      const { headers, facts } =
        sharedFixture<RecordedDelivery<Facts>>(`webhooks/${id}.delivery.json`) ??
        missing(`${id}.delivery.json`);
      return { id, headers, facts, payload: sharedFixture<unknown>(`webhooks/${id}.body`) };
    });

const missing = (file: string): never => {
  throw new Error(`There is no ${file}`);
};

/** The rules of a place for which nothing is set, but for what a test is about. */
export const rulesWith = (rules: Partial<SourceRules> = {}): SourceRules => ({
  name: undefined,
  isEnabled: true,
  aiTaskLabel: 'ai-task',
  botAccount: undefined,
  repository: undefined,
  branch: undefined,
  agent: undefined,
  mode: undefined,
  cwd: undefined,
  priorities: new Map(),
  ownerEmail: undefined,
  isTrusted: false,
  hasComments: true,
  commenters: 'anyone',
  checks: 'off',
  allowBots: [],
  hasFollowUps: false,
  pushesFollowUps: false,
  ...rules,
});
