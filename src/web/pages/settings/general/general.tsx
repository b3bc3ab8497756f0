import { useQuery } from '@tanstack/react-query';
import { SigningKeys } from '../../../components/signing-keys.tsx';
import { sessionQuery } from '../../../queries/session.ts';
import { SettingsGroup } from '../settings-group.tsx';
import { AccessKey } from './access-key.tsx';
import { Appearance } from './appearance.tsx';
import { PasswordForm } from './password-form.tsx';
import { ProfileForm } from './profile-form.tsx';

/** One's profile, how one signs in, and how the pages look and react. */
export function GeneralSection() {
  const { data: session } = useQuery(sessionQuery);
  if (!session?.authenticated) return null;
  const { user, authMode } = session;
  return (
    <>
      <SettingsGroup title="Your profile">
        <ProfileForm user={user} />
      </SettingsGroup>
      <SettingsGroup title="Pages" hint="Kept in this browser.">
        <Appearance />
      </SettingsGroup>
      <SettingsGroup title="Password" hint="A new password signs out your other sessions.">
        <PasswordForm email={user.email} />
      </SettingsGroup>
      {user.role === 'admin' && authMode === 'local' && (
        <SettingsGroup
          title="Access key"
          hint="Signs a browser in as the owner of this machine. A new key replaces the one before and signs out its browsers."
        >
          <AccessKey />
        </SettingsGroup>
      )}
      <SettingsGroup
        title="Keys that sign your decisions"
        hint="What you allow or deny is signed where you do it, so that the audit log can prove it."
      >
        <SigningKeys />
      </SettingsGroup>
    </>
  );
}
