import type { Feature } from '../../lifecycle.ts';
import { FollowUpPushes, type FollowUpPushesDeps } from './follow-up-pushes.ts';
import { PublicationApprovals, type PublicationApprovalsDeps } from './publication-approvals.ts';
import { Publications, type PublicationsDeps } from './publications.ts';
import { PublicationStore } from './publication-store.ts';
import { PullRequestService, type PullRequestServiceDeps } from './pull-request-service.ts';
import { PullRequestStore } from './pull-request-store.ts';

export interface PullRequestServices {
  publications: Publications;
  pullRequestStore: PullRequestStore;
}

/** Wires pushes and pull requests of tasks. */
export function composePullRequests(
  deps: Omit<
    PullRequestServiceDeps & FollowUpPushesDeps & PublicationApprovalsDeps & PublicationsDeps,
    'store' | 'pullRequests' | 'publicationStore' | 'publicationApprovals'
  >,
): Feature<PullRequestServices> {
  const store = new PullRequestStore(deps.database);
  const publicationStore = new PublicationStore(deps.database);
  const publicationApprovals = new PublicationApprovals({ ...deps, publicationStore });
  const pullRequests = new PullRequestService({ ...deps, store, publicationStore, publicationApprovals });
  const publications = new Publications({ ...deps, publicationStore, pullRequests });
  const pushes = new FollowUpPushes({ ...deps, store, pullRequests });
  return {
    services: { publications, pullRequestStore: store },
    lifecycle: {
      start: async () => {
        pushes.start();
        await publications.start();
      },
      stop: async () => {
        await pushes.stop();
        await publications.stop();
      },
    },
  };
}
