import { Link } from '@tanstack/react-router';
import type { Experience } from '../../../contract/experiences.ts';
import { experienceMeanings } from '../../../contract/experience-meanings.ts';
import { visibleLine, visibleText } from '../../../contract/visible-text.ts';
import { client } from '../../client.ts';
import { ActButton } from '../../components/act-button.tsx';
import { Facts } from '../../components/facts.tsx';
import { Item } from '../../components/items.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { Ago } from '../../components/time.tsx';
import { useAway } from '../../live/use-away.ts';
import { refreshExperiences } from '../../queries/experiences.ts';
import styles from './experiences.module.css';
import type { ExperiencesSearch } from './experiences-search.ts';
import { OriginLine } from './origin-line.tsx';
import { removeExperience } from './remove-experiences.ts';

/** One experience: its goal, where it comes from, and its steps while it is open. */
export function ExperienceItem({
  experience,
  score,
  search,
}: {
  experience: Experience;
  /** How well it fits the search, if there is one. */
  score?: number | undefined;
  search: ExperiencesSearch;
}) {
  const { id, intent, origin, weight, createdAt, tags } = experience;
  const isAway = useAway();
  const { open, ...rest } = search;
  const isOpen = open === id;
  // A goal that was taken from a task may have lines.
  const name = visibleText(intent.trim()).replaceAll(/\n+/g, ' ');
  const use = () => client.experiences.use({ params: { id } }).then(refreshExperiences);
  return (
    <Item
      title={
        <Link
          to="/experiences"
          search={isOpen ? rest : { ...rest, open: id }}
          resetScroll={false}
          aria-expanded={isOpen}
        >
          {name}
        </Link>
      }
      badge={
        !origin.trusted && (
          <StateBadge icon="triangle-alert" tone="needs-you">
            untrusted
          </StateBadge>
        )
      }
      note={
        <>
          <OriginLine origin={origin} /> · weight {weight.toFixed(2)}
          {score !== undefined && ` · score ${score.toFixed(2)}`} · <Ago at={createdAt} />
          {tags.length > 0 && (
            <div className={styles['tags']}>
              {tags.map((tag) => (
                <Link key={tag} to="/experiences" search={{ tag }}>
                  #{visibleLine(tag)}
                </Link>
              ))}
            </div>
          )}
        </>
      }
      actions={
        <>
          <ActButton run={use} label={`Mark as useful: ${name}`} className="quiet">
            Useful
          </ActButton>
          <button
            type="button"
            className="button quiet"
            aria-label={`Delete ${name}`}
            disabled={isAway}
            onClick={() => removeExperience(experience)}
          >
            Delete
          </button>
        </>
      }
    >
      {isOpen && <Details experience={experience} />}
    </Item>
  );
}

function Details({ experience }: { experience: Experience }) {
  const { type, solution, successScore, useCount, lastUsedAt, project, origin } = experience;
  return (
    <div className={styles['details']}>
      <ol>
        {solution.map((step, at) => (
          // Steps may repeat, and never change.
          <li key={`${at} ${step}`}>{visibleText(step)}</li>
        ))}
      </ol>
      <Facts
        facts={[
          ['Type', experienceMeanings[type] ?? type],
          ['Success', successScore.toFixed(2)],
          [
            'Used',
            useCount === 0 ? (
              'never'
            ) : (
              <>
                {useCount === 1 ? 'once' : `${useCount} times`}
                {lastUsedAt && (
                  <>
                    , last <Ago at={lastUsedAt} />
                  </>
                )}
              </>
            ),
          ],
          ['Project', project && visibleLine(project)],
          [
            'Trust',
            !origin.trusted && 'Untrusted text had a part in it. Runs in the mode full never receive it.',
          ],
          [
            'Checked',
            origin.kind === 'task' &&
              (origin.verified ? 'its verification passed' : 'no; only the agent said that it succeeded'),
          ],
        ]}
      />
    </div>
  );
}
