import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ApprovalCard } from '../../components/approval-card.tsx';
import { BackLink } from '../../components/back-link.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { approvalQuery } from '../../queries/approvals.ts';

const route = getRouteApi('/approvals/$id');

/** One tool call to decide on, for a phone first. */
export function ApprovalPage() {
  const { id } = route.useParams();
  const { data: approval, error, refetch } = useQuery(approvalQuery(id));
  return (
    <Page title="Approval" back={<BackLink to="/">Inbox</BackLink>} isNarrow>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {!approval && !error && <Loading />}
      {approval && <ApprovalCard approval={approval} isSticky level={2} />}
    </Page>
  );
}
