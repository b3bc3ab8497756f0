import type { ProviderName } from '../../../contract/oauth.ts';
import { readGithub } from './github-events.ts';
import { readJira } from './jira-events.ts';
import { readLinear } from './linear-events.ts';
import type { ReadSource } from './source-work.ts';

export const sourceReaders: Record<ProviderName, ReadSource> = {
  codehost: readGithub,
  tracker_a: readJira,
  tracker_b: readLinear,
};
