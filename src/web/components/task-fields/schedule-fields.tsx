import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { client } from '../../client.ts';
import { Field } from '../form/field.tsx';
import { fieldProblems } from '../form/field-problems.ts';
import { cronWords } from '../cron-words.ts';
import { NextRuns } from './next-runs.tsx';
import { Suggestions } from './suggestions.tsx';
import formStyles from '../form/form.module.css';
import { readerTimeZone } from '../reader.ts';
import styles from './task-fields.module.css';

export type When = 'now' | 'at' | 'cron';

/** What the fields hold at first: `at` as a field of a date and a time has it, in the time zone. */
export interface InitialMoment {
  at?: string | undefined;
  cron?: string | undefined;
  timezone: string;
}

const ways: Readonly<Record<When, string>> = { now: 'Now', at: 'Once, later', cron: 'Repeatedly' };
const TYPING_MS = 300;

/** When it runs: at once, at a moment, or again and again. */
export function ScheduleFields<W extends When>({
  when,
  onWhen,
  offered,
  initial,
}: {
  when: W;
  onWhen: (when: W) => void;
  offered: readonly W[];
  initial?: InitialMoment | undefined;
}) {
  return (
    <fieldset className={styles['when']}>
      <legend>When</legend>
      <div className={styles['ways']}>
        {offered.map((way) => (
          <label key={way} className={formStyles['check']}>
            <input type="radio" name="when" value={way} checked={when === way} onChange={() => onWhen(way)} />
            {ways[way]}
          </label>
        ))}
      </div>
      {when !== 'now' && <Moment key={when} when={when} initial={initial} />}
    </fieldset>
  );
}

function Moment({ when, initial }: { when: 'at' | 'cron'; initial: InitialMoment | undefined }) {
  const listId = useId();
  const [moment, setMoment] = useState(initial?.[when] ?? '');
  const [zone, setZone] = useState(() => initial?.timezone ?? readerTimeZone());
  const typed = useSettled(`${moment}\n${zone}`);
  const preview = useQuery({
    queryKey: ['schedule-preview', when, typed],
    queryFn: () => {
      const [wanted = '', timezone = ''] = typed.split('\n');
      return client.schedules.preview({ body: { [when]: wanted, ...(timezone && { timezone }) } });
    },
    enabled: !typed.startsWith('\n'),
  });
  const { problems } = fieldProblems(preview.error, (name) => [when, 'timezone'].includes(name));
  return (
    <div className={formStyles['fields']}>
      {when === 'at' ? (
        <Field name="at" label="Time" problem={problems.get('at')}>
          {(control) => (
            <input
              {...control}
              type="datetime-local"
              value={moment}
              onChange={({ target }) => setMoment(target.value)}
            />
          )}
        </Field>
      ) : (
        <Field
          name="cron"
          label="Cron expression"
          hint={
            cronWords(moment) ?? 'Minute, hour, day, month, day of the week; or @hourly, @daily, @weekly.'
          }
          problem={problems.get('cron')}
        >
          {(control) => (
            <input
              {...control}
              placeholder="0 9 * * 1-5"
              spellCheck={false}
              value={moment}
              onChange={({ target }) => setMoment(target.value)}
            />
          )}
        </Field>
      )}
      <Field name="timezone" label="Time zone" problem={problems.get('timezone')}>
        {(control) => (
          <input
            {...control}
            list={listId}
            spellCheck={false}
            value={zone}
            onChange={({ target }) => setZone(target.value)}
          />
        )}
      </Field>
      <Suggestions id={listId} values={Intl.supportedValuesOf('timeZone')} />
      {preview.data && <NextRuns {...preview.data} />}
    </div>
  );
}

/** The text once nobody has typed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(setSettled, TYPING_MS, text);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
