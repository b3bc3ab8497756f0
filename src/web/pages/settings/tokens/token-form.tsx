import { scopeMeanings } from '../../../../contract/scope-meanings.ts';
import type { Scope } from '../../../../contract/scopes.ts';
import { client } from '../../../client.ts';
import { Field } from '../../../components/form/field.tsx';
import { Fields, Form } from '../../../components/form/form.tsx';
import { formText } from '../../../components/form-text.ts';
import { tokensQuery } from '../../../queries/access.ts';
import { queryClient } from '../../../queries/query-client.ts';
import { useAdmin } from '../../../queries/use-admin.ts';
import styles from '../settings.module.css';
import type { CreatedToken } from './new-token.tsx';
import { limitsIn, numberIn, TokenLimits } from './token-limits.tsx';

const scopes = Object.entries(scopeMeanings) as [Scope, string][];
const days = [7, 30, 90, 365];

/** Creates a token with scopes, an expiry and perhaps limits. */
export function TokenForm({ onCreated }: { onCreated: (created: CreatedToken) => void }) {
  const isAdmin = useAdmin();
  const submit = async (data: FormData) => {
    const chosen = data.getAll('scopes').filter((scope) => typeof scope === 'string') as Scope[];
    if (chosen.length === 0) return new Map([['scopes', 'Choose at least one scope.']]);
    const created = await client.tokens.create({
      body: {
        name: formText(data, 'name').trim(),
        scopes: chosen,
        ...Object.fromEntries(numberIn(data, 'expiresInDays')),
        ...limitsIn(data),
      },
    });
    await queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey });
    onCreated(created);
    return undefined;
  };
  return (
    <Form submit="Create token" onSubmit={submit}>
      <Fields>
        <Field name="name" label="Name" hint="What uses it, such as ci.">
          {(control) => <input {...control} autoComplete="off" maxLength={100} />}
        </Field>
        <Field name="expiresInDays" label="Expires">
          {(control) => (
            <select {...control} defaultValue="90">
              {days.map((count) => (
                <option key={count} value={count}>
                  After {count} days
                </option>
              ))}
              <option value="">Never</option>
            </select>
          )}
        </Field>
      </Fields>
      <Scopes isAdmin={isAdmin === true} />
      <TokenLimits />
    </Form>
  );
}

/** The scopes with what each allows. Running commands is for administrators. */
const Scopes = ({ isAdmin }: { isAdmin: boolean }) => (
  <Field name="scopes" label="Scopes">
    {({ id, name, ...described }) => (
      <div role="group" aria-label="Scopes" aria-describedby={described['aria-describedby']}>
        {scopes
          .filter(([scope]) => isAdmin || scope !== 'agents:command')
          .map(([scope, meaning], at) => (
            <label key={scope} className={styles['choice']}>
              <input
                type="checkbox"
                id={at === 0 ? id : undefined}
                name={name}
                value={scope}
                aria-invalid={at === 0 ? described['aria-invalid'] : undefined}
              />
              <span>
                <code>{scope}</code>
              </span>
              <small>{meaning}</small>
            </label>
          ))}
      </div>
    )}
  </Field>
);
