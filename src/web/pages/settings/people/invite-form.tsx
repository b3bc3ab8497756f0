import { client } from '../../../client.ts';
import { Field } from '../../../components/form/field.tsx';
import { Fields, Form } from '../../../components/form/form.tsx';
import { formText } from '../../../components/form-text.ts';
import { invitesQuery } from '../../../queries/people.ts';
import { queryClient } from '../../../queries/query-client.ts';
import type { NewInvite } from './new-invite-code.tsx';

/** Creates an invite, for anyone who has its code or for one address. */
export function InviteForm({ onMade }: { onMade: (made: NewInvite) => void }) {
  const submit = async (data: FormData) => {
    const email = formText(data, 'email').trim();
    const made = await client.invites.create({
      body: {
        role: formText(data, 'role') === 'admin' ? 'admin' : 'user',
        expiresInDays: Number(formText(data, 'expiresInDays')),
        ...(email && { email }),
      },
    });
    await queryClient.invalidateQueries({ queryKey: invitesQuery.queryKey });
    onMade(made);
  };
  return (
    <Form submit="Create invite" onSubmit={submit}>
      <Fields>
        <Field
          name="email"
          label="E-mail"
          hint="Only this address can use it. Without one, anyone who has the code."
        >
          {(control) => <input {...control} type="email" autoComplete="off" />}
        </Field>
        <Field name="role" label="Role">
          {(control) => (
            <select {...control} defaultValue="user">
              <option value="user">User</option>
              <option value="admin">Administrator</option>
            </select>
          )}
        </Field>
        <Field name="expiresInDays" label="Expires after days" hint="From 1 to 365.">
          {(control) => <input {...control} inputMode="numeric" defaultValue="7" />}
        </Field>
      </Fields>
    </Form>
  );
}
