import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Experience } from '../../../contract/experiences.ts';
import { Empty } from '../../components/empty.tsx';
import { Items } from '../../components/items.tsx';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { useRemoved } from '../../components/removal.ts';
import { experienceQuery, experienceSearchQuery, experiencesQuery } from '../../queries/experiences.ts';
import { ExperienceItem } from './experience-item.tsx';
import styles from './experiences.module.css';
import type { ExperiencesSearch } from './experiences-search.ts';

interface ListProps {
  search: ExperiencesSearch;
}

/** The experiences of a type or a tag, or all, highest weight first. */
export function AllExperiences({ search }: ListProps) {
  const { type, tag, open = '' } = search;
  const list = useInfiniteQuery(experiencesQuery({ type, tag }));
  const removed = useRemoved();
  const found = list.data?.pages.flatMap(({ experiences }) => experiences) ?? [];
  const isElsewhere = open !== '' && list.isSuccess && !found.some(({ id }) => id === open);
  // A link names one that may be further down.
  const named = useQuery({ ...experienceQuery(open), enabled: isElsewhere });
  const all = isElsewhere && named.data ? [named.data, ...found] : found;
  const shown = all.filter(({ id }) => !removed.has(id));
  return (
    <>
      {list.error && !list.data && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {isElsewhere && named.error && !removed.has(open) && <Problem error={named.error} />}
      {list.isPending && <Loading rows={4} />}
      <List experiences={shown} search={search} />
      {list.hasNextPage && (
        <button
          type="button"
          className={`button ${styles['more']}`}
          disabled={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Show more
        </button>
      )}
      {list.isSuccess && shown.length === 0 && (
        <Empty>
          {type === undefined && tag === undefined ? (
            <>
              <p>
                What tasks learned, and what you record yourself, is listed here. Chats and agents get what
                fits their work.
              </p>
              <Link to="/experiences" search={{ add: true }} className="button primary">
                Record the first one
              </Link>
            </>
          ) : (
            <p>
              No matching experiences. <Link to="/experiences">Show all</Link>
            </p>
          )}
        </Empty>
      )}
    </>
  );
}

/** What a search finds, the best first. */
export function FoundExperiences({ query, search }: ListProps & { query: string }) {
  const { data, error, isPending, refetch } = useQuery(experienceSearchQuery(query));
  const removed = useRemoved();
  if (error && !data) return <Problem error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Loading rows={4} />;
  const shown = data.experiences.filter(({ id }) => !removed.has(id));
  if (shown.length > 0) return <List experiences={shown} search={search} />;
  return (
    <p role="status">
      Nothing found. Try other words, or <Link to="/experiences">show all</Link>.
    </p>
  );
}

const List = ({
  experiences,
  search,
}: ListProps & { experiences: readonly (Experience & { score?: number })[] }) =>
  experiences.length > 0 && (
    <Items label="Experiences">
      {experiences.map((experience) => (
        <ExperienceItem
          key={experience.id}
          experience={experience}
          score={experience.score}
          search={search}
        />
      ))}
    </Items>
  );
