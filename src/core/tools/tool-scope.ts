import { isInside } from '../paths/real-path.ts';
import type { SecretFiles } from '../paths/secret-files.ts';
import { isSecretPath } from '../paths/secret-paths.ts';
import type { PolicyService } from '../policy/policy-service.ts';
import { isProtectedPath } from './guards/secret-exfiltration.ts';
import type { ToolScope } from './tool.ts';

export interface ToolScopeDeps {
  policy: Pick<PolicyService, 'isGuardOn'>;
  /** The real paths of the daemon's own directories. */
  protectedDirectories: string[];
  /** Recognizes credentials by content. */
  secretFiles?: SecretFiles;
}

/** What the guards let a call reach in a workspace; `paths` are the real ones that its plan names. */
export function scopeIn(
  workspace: string,
  { policy, protectedDirectories, secretFiles }: ToolScopeDeps,
  paths: string[] = [],
): ToolScope {
  const isConfined = policy.isGuardOn('path-traversal');
  const protectsSecrets = policy.isGuardOn('secret-exfiltration');
  return {
    paths,
    isConfined,
    mayRead: (path) =>
      (!isConfined || isInside(workspace, path)) &&
      !(protectsSecrets && (isSecretPath(path) || isProtectedPath(path, protectedDirectories, workspace))),
    ...(protectsSecrets &&
      secretFiles && { isSecret: (path: string) => secretFiles.isSecret(path, workspace) }),
  };
}
