import type { GithubDelivery } from './github-delivery.ts';
import { isSame } from './lenient.ts';
import type { SourceRules } from './source-rules.ts';
import type { SourceWork } from './source-work.ts';

export interface Check {
  name: string;
  sha: string;
  conclusion: string | undefined;
  /** Also undefined for branches of another repository. */
  branch: string | undefined;
  url: string | undefined;
  /** The title, summary and text that the check reported. */
  output: string[];
  pullRequest: number | undefined;
}

/** `owner/repo@commit/name of the check`, if the delivery is about a check. */
export function checkIdOf(delivery: GithubDelivery): string | undefined {
  const check = checkOf(delivery);
  return check && `${delivery.repository?.full_name}@${check.sha}/${check.name}`;
}

export function workOfCheck(delivery: GithubDelivery, rules: SourceRules): SourceWork | { ignored: string } {
  const check = checkOf(delivery);
  const checkId = checkIdOf(delivery);
  const repositoryName = delivery.repository?.full_name;
  if (!check || checkId === undefined || repositoryName === undefined)
    return { ignored: 'The delivery names no check' };
  if (rules.checks === 'off') return { ignored: 'Failed checks are disabled' };
  const { name, conclusion, branch } = check;
  if (conclusion !== 'failure' && conclusion !== 'timed_out')
    return { ignored: `The check ${name} did not fail: its conclusion is ${conclusion ?? 'open'}` };
  if (rules.checks === 'task-branches' && branch === undefined)
    return { ignored: `The check ${name} ran on no branch of ${repositoryName}` };
  const outcome = conclusion === 'failure' ? 'failed' : 'timed out';
  return {
    sourceId: checkId,
    sourceUrl: check.url,
    title: `The check ${name} ${outcome}${branch === undefined ? '' : ` on ${branch}`}`,
    description: [
      `The check “${name}” ${outcome} at commit ${check.sha}${branch === undefined ? '' : ` of the branch ${branch}`}.`,
      ...check.output,
      ...(check.url === undefined ? [] : [check.url]),
    ].join('\n\n'),
    labels: [],
    priority: 3,
    repository: repositoryName,
    branch,
    contentKey: checkId,
    ...(rules.checks === 'task-branches' && { needsTaskBranch: true }),
    target:
      check.pullRequest === undefined
        ? undefined
        : { provider: 'github', repository: repositoryName, number: check.pullRequest },
  };
}

/** The check of a delivery, if it is about one. */
export function checkOf({ check_run, workflow_run, repository }: GithubDelivery): Check | undefined {
  const run = check_run ?? workflow_run;
  if (!run || run.head_sha === undefined) return undefined;
  const repositoryName = repository?.full_name;
  const isForeign =
    workflow_run?.head_repository !== undefined &&
    !isSame(workflow_run.head_repository.full_name, repositoryName);
  return {
    name: run.name ?? workflow_run?.display_title ?? 'without a name',
    sha: run.head_sha,
    conclusion: run.conclusion,
    branch: isForeign ? undefined : (check_run ? check_run.check_suite : workflow_run)?.head_branch,
    url: run.html_url,
    output: [check_run?.output?.title, check_run?.output?.summary, check_run?.output?.text].filter(
      (part): part is string => Boolean(part),
    ),
    // A commit may also belong to pull requests of other repositories.
    pullRequest: run.pull_requests.find(({ number, url }) =>
      url?.toLowerCase().endsWith(`/repos/${repositoryName}/pulls/${number}`.toLowerCase()),
    )?.number,
  };
}
