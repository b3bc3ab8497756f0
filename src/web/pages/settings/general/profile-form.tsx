import { useId } from 'react';
import type { User } from '../../../../contract/users.ts';
import { client } from '../../../client.ts';
import { Facts } from '../../../components/facts.tsx';
import { Field } from '../../../components/form/field.tsx';
import { Fields, Form } from '../../../components/form/form.tsx';
import { formText } from '../../../components/form-text.ts';
import { queryClient } from '../../../queries/query-client.ts';
import { sessionQuery } from '../../../queries/session.ts';

/** What others see of the person, and the language and time zone in which pages write dates and numbers. */
export function ProfileForm({ user }: { user: User }) {
  const zones = useId();
  const submit = async (data: FormData) => {
    const optional = (name: string) => formText(data, name).trim() || null;
    await client.auth.updateMe({
      body: {
        name: formText(data, 'name').trim(),
        timezone: optional('timezone'),
        locale: optional('locale'),
      },
    });
    await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  return (
    <>
      <Facts
        facts={[
          ['E-mail', user.email],
          ['Role', user.role],
        ]}
      />
      <Form submit="Save" done="Saved." onSubmit={submit}>
        <Fields>
          <Field name="name" label="Name">
            {(control) => <input {...control} defaultValue={user.name} autoComplete="name" maxLength={100} />}
          </Field>
          <Field
            name="timezone"
            label="Time zone"
            hint="Such as Europe/Berlin. Default: that of your browser."
          >
            {(control) => (
              <>
                <input
                  {...control}
                  list={zones}
                  defaultValue={user.timezone ?? ''}
                  autoComplete="off"
                  spellCheck={false}
                />
                <datalist id={zones}>
                  {Intl.supportedValuesOf('timeZone').map((zone) => (
                    <option key={zone} value={zone} />
                  ))}
                </datalist>
              </>
            )}
          </Field>
          <Field
            name="locale"
            label="Language"
            hint="Such as en-GB. Used for dates and numbers. Default: that of your browser."
          >
            {(control) => (
              <input {...control} defaultValue={user.locale ?? ''} autoComplete="off" spellCheck={false} />
            )}
          </Field>
        </Fields>
      </Form>
    </>
  );
}
