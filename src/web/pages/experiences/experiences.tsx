import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { SyntheticEvent } from 'react';
import type { ExperienceType } from '../../../contract/experiences.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { counted } from '../../components/counted.ts';
import { formText } from '../../components/form-text.ts';
import { Icon } from '../../components/icon.tsx';
import { Page } from '../../components/page.tsx';
import { experiencesQuery } from '../../queries/experiences.ts';
import { useIsAdmin } from '../../queries/use-is-admin.ts';
import { DeleteMany } from './delete-all.tsx';
import { AllExperiences, FoundExperiences } from './experience-lists.tsx';
import { typeNames } from './experience-types.ts';
import styles from './experiences.module.css';
import { RecordDialog } from './record-dialog.tsx';

const route = getRouteApi('/experiences');

/** What was learned from tasks, chats and people, and where from. */
export function ExperiencesPage() {
  const { add, ...shown } = route.useSearch();
  const { q, type, tag } = shown;
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const { data } = useInfiniteQuery(experiencesQuery({}));
  const total = data?.pages.at(-1)?.total;
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = formText(new FormData(event.currentTarget), 'q').trim();
    void navigate({ to: '/experiences', search: text === '' ? {} : { q: text } });
  };
  const isFiltered = q !== undefined || type !== undefined || tag !== undefined;
  return (
    <Page
      title="Experiences"
      note={total === undefined ? undefined : counted(total, 'experience')}
      actions={
        <>
          <Link to="/experiences" search={{ ...shown, add: true }} className="button primary">
            <Icon name="plus" /> Record one
          </Link>
          {total !== undefined && total > 0 && <DeleteMany total={total} isAdmin={isAdmin} />}
        </>
      }
      isNarrow
    >
      {(isFiltered || (total !== undefined && total > 0)) && (
        <>
          <search>
            <form key={q} className={styles['search']} onSubmit={submit}>
              <input
                name="q"
                type="search"
                aria-label="Question or words"
                placeholder="Question or words"
                defaultValue={q}
                maxLength={2000}
              />
              <button type="submit" className="button">
                Search
              </button>
            </form>
          </search>
          <div className={styles['filters']} role="group" aria-label="Type">
            <Filter label="All" search={{}} isCurrent={!isFiltered} />
            {Object.entries(typeNames).map(([name, label]) => (
              <Filter
                key={name}
                label={label}
                search={{ type: name as ExperienceType }}
                isCurrent={type === name}
              />
            ))}
            {tag !== undefined && <Filter label={`#${visibleLine(tag)}`} search={{ tag }} isCurrent />}
          </div>
        </>
      )}
      {q === undefined ? <AllExperiences search={shown} /> : <FoundExperiences query={q} search={shown} />}
      {add && <RecordDialog onClose={() => void navigate({ to: '/experiences', search: shown })} />}
    </Page>
  );
}

const Filter = ({
  label,
  search,
  isCurrent,
}: {
  label: string;
  search: { type?: ExperienceType; tag?: string };
  isCurrent: boolean;
}) => (
  <Link to="/experiences" search={search} className="chip" aria-current={isCurrent ? 'page' : undefined}>
    {label}
  </Link>
);
