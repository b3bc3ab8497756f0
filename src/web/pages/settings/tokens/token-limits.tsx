import type { CreateToken } from '../../../../contract/tokens.ts';
import { Field, Section } from '../../../components/form/field.tsx';
import formStyles from '../../../components/form/form.module.css';
import { formText } from '../../../components/form-text.ts';
import styles from '../settings.module.css';

type Amount = Exclude<keyof CreateToken, 'name' | 'scopes' | 'models'>;
type Limit = [name: Amount, label: string, hint: string, inputMode: 'numeric' | 'decimal'];

/** The hints are those of `svc tokens create`. */
const budget: readonly Limit[] = [
  ['tokensPerDay', 'Model tokens per day', 'Limits its model tokens per day (UTC).', 'numeric'],
  ['costPerDay', 'USD per day', 'Limits its cost per day (UTC).', 'decimal'],
  ['tokensPerMonth', 'Model tokens per month', 'Limits its model tokens per month (UTC).', 'numeric'],
  ['costPerMonth', 'USD per month', 'Limits its cost per month (UTC).', 'decimal'],
];
const perMinute: readonly Limit[] = [
  ['requestsPerMinute', 'Requests per minute', 'Limits its calls of models at /v1 per minute.', 'numeric'],
  ['tokensPerMinute', 'Tokens per minute', 'Limits its model tokens at /v1 per minute.', 'numeric'],
];

/** What the person limited; a field that is empty has no limit. */
export function limitsIn(data: FormData): Partial<CreateToken> {
  const amounts = [...budget, ...perMinute].flatMap(([name]) => numberIn(data, name));
  const models = formText(data, 'models')
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return { ...Object.fromEntries(amounts), ...(models.length > 0 && { models }) };
}

/** The number of a field as an entry; none where it is empty. */
export function numberIn(data: FormData, name: Amount): [Amount, number][] {
  const typed = formText(data, name).trim();
  return typed === '' ? [] : [[name, Number(typed)]];
}

/** The limits of a token, closed until they are wanted. */
export const TokenLimits = () => (
  <div className={formStyles['sections']}>
    <Section title="Budget">
      <p className={`muted ${styles['wide']}`}>
        Of everything it is used for: its tasks and calls of models. Empty for no limit.
      </p>
      <Limits of={budget} />
    </Section>
    <Section title="Models at /v1">
      <div className={styles['wide']}>
        <Field
          name="models"
          label="Models"
          hint="Allows only these models at /v1, such as openai/*. One on each line; empty for all."
        >
          {(control) => <textarea {...control} rows={2} spellCheck={false} autoCapitalize="off" />}
        </Field>
      </div>
      <Limits of={perMinute} />
    </Section>
  </div>
);

const Limits = ({ of }: { of: readonly Limit[] }) =>
  of.map(([name, label, hint, inputMode]) => (
    <Field key={name} name={name} label={label} hint={hint}>
      {(control) => <input {...control} inputMode={inputMode} autoComplete="off" />}
    </Field>
  ));
