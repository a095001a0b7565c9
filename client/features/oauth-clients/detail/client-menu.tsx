import type { OauthClient } from '../../../api/oauth-client-record.ts';
import { ActionMenu } from '../../../resource/detail/action-menu.tsx';
import { IconKey, IconTrash } from '../../../resource/icons.ts';
import { lazyDialog } from '../../../ui/loading/lazy-part.tsx';
import { usesSecret } from '../client-words.ts';

const DeleteClient = lazyDialog(() => import('./delete-client.tsx'), 'DeleteClient');
const RotateSecret = lazyDialog(() => import('./rotate-secret.tsx'), 'RotateSecret');

/** Whoever has no secret to prove itself by has none to rotate. */
export const ClientMenu = ({ client }: { client: OauthClient }) => (
  <ActionMenu
    subject={{ client }}
    actions={[
      ...(usesSecret(client.token_endpoint_auth_method)
        ? [{ label: 'Rotate the secret…', icon: IconKey, dialog: RotateSecret }]
        : []),
      { label: 'Delete…', icon: IconTrash, final: true, dialog: DeleteClient },
    ]}
  />
);
