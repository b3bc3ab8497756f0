import type { GithubDelivery } from './github-delivery.ts';
import { isSame } from './lenient.ts';
import type { SourceRules } from './source-rules.ts';
import type { SourceWork } from './source-work.ts';

interface Check {
  name: string;
  sha: string;
  conclusion: string | undefined;
  /** Undefined too where it is a branch of another repository, whose names say nothing here. */
  branch: string | undefined;
  url: string | undefined;
  /** What the check says of itself. */
  output: string[];
  pullRequest: number | undefined;
}

/** `owner/repo@commit/name of the check`, where the delivery is about one. */
export function checkIdOf(delivery: GithubDelivery): string | undefined {
  const check = checkOf(delivery);
  return check && `${delivery.repository?.full_name}@${check.sha}/${check.name}`;
}

export function workOfCheck(delivery: GithubDelivery, rules: SourceRules): SourceWork | { ignored: string } {
  const check = checkOf(delivery);
  const checkId = checkIdOf(delivery);
  const place = delivery.repository?.full_name;
  if (!check || checkId === undefined || place === undefined)
    return { ignored: 'The delivery does not say which check it is about' };
  if (rules.checks === 'off') return { ignored: 'Failed checks are switched off' };
  const { name, conclusion, branch } = check;
  if (conclusion !== 'failure' && conclusion !== 'timed_out')
    return { ignored: `The check ${name} did not fail: its conclusion is ${conclusion ?? 'open'}` };
  if (rules.checks === 'task-branches' && branch === undefined)
    return { ignored: `The check ${name} ran on no branch of ${place}` };
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
    repository: place,
    branch,
    contentKey: checkId,
    ...(rules.checks === 'task-branches' && { needsTaskBranch: true }),
    target:
      check.pullRequest === undefined
        ? undefined
        : { provider: 'codehost', repository: place, number: check.pullRequest },
  };
}

function checkOf({ check_run, workflow_run, repository }: GithubDelivery): Check | undefined {
  const run = check_run ?? workflow_run;
  if (!run || run.head_sha === undefined) return undefined;
  const place = repository?.full_name;
  const isForeign =
    workflow_run?.head_repository !== undefined && !isSame(workflow_run.head_repository.full_name, place);
  return {
    name: run.name ?? workflow_run?.display_title ?? 'without a name',
    sha: run.head_sha,
    conclusion: run.conclusion,
    branch: isForeign ? undefined : (check_run ? check_run.check_suite : workflow_run)?.head_branch,
    url: run.html_url,
    output: [check_run?.output?.title, check_run?.output?.summary, check_run?.output?.text].filter(
      (part): part is string => Boolean(part),
    ),
    // A commit may belong to pull requests of other repositories too.
    pullRequest: run.pull_requests.find(({ number, url }) =>
      url?.toLowerCase().endsWith(`/repos/${place}/pulls/${number}`.toLowerCase()),
    )?.number,
  };
}
