import { useEffect, useRef, useState } from 'react';
import { client } from '../../../client.ts';
import { Field } from '../../../components/form/field.tsx';
import { Fields, Form } from '../../../components/form/form.tsx';
import { formText } from '../../../components/form-text.ts';
import { queryClient } from '../../../queries/query-client.ts';

/** Changes the password, or sets the first one. */
export function PasswordForm({ email }: { email: string }) {
  const [changes, setChanges] = useState(0);
  const said = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (changes > 0) said.current?.focus();
  }, [changes]);
  const submit = async (data: FormData) => {
    const currentPassword = formText(data, 'currentPassword');
    const newPassword = formText(data, 'newPassword');
    if (newPassword !== formText(data, 'repeated'))
      return new Map([['repeated', 'The two new passwords differ.']]);
    await client.auth.updatePassword({ body: { newPassword, ...(currentPassword && { currentPassword }) } });
    await queryClient.invalidateQueries({ queryKey: ['sessions'] });
    setChanges(changes + 1);
    return undefined;
  };
  return (
    <>
      <Form key={changes} submit="Change password" onSubmit={submit}>
        {/* Password managers look for the account. */}
        <input type="email" autoComplete="username" value={email} readOnly hidden />
        <Fields>
          <Field name="currentPassword" label="Current password" hint="Empty if the account has none.">
            {(control) => <input {...control} type="password" autoComplete="current-password" />}
          </Field>
          <Field
            name="newPassword"
            label="New password"
            hint="At least 8 characters with a letter and a number."
          >
            {(control) => <input {...control} type="password" autoComplete="new-password" />}
          </Field>
          <Field name="repeated" label="Repeat the new password">
            {(control) => <input {...control} type="password" autoComplete="new-password" />}
          </Field>
        </Fields>
      </Form>
      <p role="status" ref={said} tabIndex={-1}>
        {changes > 0 && 'Password changed; your other sessions were signed out.'}
      </p>
    </>
  );
}
