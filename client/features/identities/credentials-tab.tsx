import { Button, Paper, Stack, Text } from '@mantine/core';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { IdentityCredential, IdentityCredentials } from '../../../shared/identity-credentials.ts';
import { type Identity, identityQuery } from '../../api/identities.ts';
import { identityAdmin, request, send } from '../../api/request.ts';
import { counted } from '../../lib/format-count.ts';
import { displayName } from '../../lib/identity-name.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { useRecord } from '../../record/tabs.tsx';
import { CANNOT_BE_UNDONE, ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { RelativeTime } from '../../ui/facts.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { StatePanel } from '../../ui/state-panel.tsx';
import { toast } from '../../ui/toasts.tsx';
import classes from './identities.module.css';

export function CredentialsTab() {
  const identity = useRecord(identityQuery);
  const { data: credentials, error, refetch } = useQuery(identityCredentialsQuery(identity.id));
  const [deleting, setDeleting] = useState<CredentialItem>();
  if (error !== null) return <FailurePanel error={error} onRetry={() => void refetch()} />;
  if (credentials === undefined) return <LoadingRows label="Loading the credentials" height={120} />;
  const items = credentialItems(credentials);
  return (
    <Stack gap="xs">
      {items.length === 0 ? (
        <StatePanel
          kind="no-data"
          title="No credentials"
          text="This identity cannot sign in yet. A recovery code or link lets the person set a password."
        />
      ) : (
        <Paper withBorder>
          <ul className={classes.list} aria-label="Credentials">
            {items.map((item) => (
              <CredentialRow
                key={`${item.credential.type} ${item.identifier}`}
                item={item}
                onDelete={() => setDeleting(item)}
              />
            ))}
          </ul>
        </Paper>
      )}
      <NotSet credentials={credentials} />
      <Text size="xs" c="dimmed">
        Hashes, seeds and tokens never reach this browser.
      </Text>
      {deleting !== undefined && (
        <DeleteCredential identity={identity} item={deleting} onClose={() => setDeleting(undefined)} />
      )}
    </Stack>
  );
}

/** Types that the schema allows, stated explicitly because the upstream lists them as if they were set up. */
function NotSet({ credentials }: { credentials: readonly IdentityCredential[] }) {
  const names = credentials.filter(({ set }) => !set).map(({ type }) => credentialName(type));
  if (names.length === 0) return null;
  return (
    <Text size="sm" c="dimmed">
      Possible, but not set up: {names.join(', ')}.
    </Text>
  );
}

export function CredentialRow({ item, onDelete }: { item: CredentialItem; onDelete: () => void }) {
  const { credential, identifier } = item;
  const { keys = [] } = credential;
  const name = credentialName(credential.type);
  const identifiers = identifier ?? credential.identifiers.join(', ');
  return (
    <li className={classes.item}>
      <div>
        <Text size="sm" fw={500}>
          {name}
          {keys.length > 1 && `, ${counted(keys.length, 'key', 'keys')}`}
          {identifiers !== '' && (
            <>
              {' · '}
              <bdi>{identifiers}</bdi>
            </>
          )}
        </Text>
        <Text size="xs" c="dimmed">
          Created <Time at={credential.created_at} />, updated <Time at={credential.updated_at} />
        </Text>
        {keys.length > 0 && (
          <ul className={classes.parts} aria-label={`${name}: ${counted(keys.length, 'key', 'keys')}`}>
            {keys.map((key, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: names may be duplicates
              <li key={index}>
                {key.name === null ? 'Unnamed' : <bdi>{visibleText(key.name)}</bdi>}, added <Time at={key.added_at} />
              </li>
            ))}
          </ul>
        )}
      </div>
      {credential.deletable ? (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Delete ${name}${identifier === undefined ? '' : ` ${identifier}`}`}
          onClick={onDelete}
        >
          Delete…
        </Button>
      ) : (
        <Text size="xs" c="dimmed" className={classes.aside}>
          {credential.type === 'code' ? 'Removed with the address' : 'Only the person can remove it'}
        </Text>
      )}
    </li>
  );
}

const Time = ({ at }: { at: string | null }) => (at === null ? <span>unknown</span> : <RelativeTime at={at} />);

/** What is deleted at once: a single identifier of a provider, or all of another type. */
export interface CredentialItem {
  credential: IdentityCredential;
  /** Undefined for the whole type. */
  identifier: string | undefined;
}

/** Types that an identity may have several of, distinguished by identifier. */
const SEVERAL = new Set(['oidc', 'saml', 'deviceauthn']);

/** The credentials that are set up. */
export const credentialItems = (credentials: readonly IdentityCredential[]): CredentialItem[] =>
  credentials
    .filter(({ set }) => set)
    .flatMap((credential): CredentialItem[] =>
      SEVERAL.has(credential.type) && credential.identifiers.length > 0
        ? credential.identifiers.map((identifier) => ({ credential, identifier }))
        : [{ credential, identifier: undefined }],
    );

export const isThere = (items: readonly CredentialItem[], { credential, identifier }: CredentialItem): boolean =>
  items.some((item) => item.credential.type === credential.type && item.identifier === identifier);

const NAMES: Record<string, string> = {
  password: 'Password',
  oidc: 'Social sign-in',
  saml: 'SAML sign-in',
  totp: 'Authenticator app (TOTP)',
  lookup_secret: 'Recovery codes',
  webauthn: 'Security key (WebAuthn)',
  passkey: 'Passkey',
  code: 'One-time code',
  link_recovery: 'Recovery link',
  code_recovery: 'Recovery code',
  deviceauthn: 'Device key',
};

export const credentialName = (type: string): string => NAMES[type] ?? type;

export const formatCredentials = (credentials: readonly IdentityCredential[]): string =>
  credentials
    .filter(({ set }) => set)
    .map(({ type }) => credentialName(type))
    .join(', ') || 'none';

/** An identity's credentials without their secrets. Served by the dashboard itself, not by the identity service. */
export const identityCredentialsQuery = (id: string) =>
  queryOptions({
    queryKey: ['identity-credentials', id],
    queryFn: async ({ signal }) => {
      const { credentials } = await request<IdentityCredentials>(
        `/api/identities/${encodeURIComponent(id)}/credentials`,
        { signal },
      );
      return credentials;
    },
    retry: false,
  });

/** @param identifier selects one of several credentials of a type: `provider:subject` */
export async function deleteCredential(id: string, type: string, identifier: string | undefined): Promise<void> {
  const query = identifier === undefined ? '' : `?${new URLSearchParams({ identifier })}`;
  const path = `/identities/${encodeURIComponent(id)}/credentials/${encodeURIComponent(type)}`;
  await send(identityAdmin(path) + query, { method: 'DELETE' });
}

/** A recovery code or link: shown once and never stored. */
export interface Recovery {
  recovery_link: string;
  recovery_code?: string;
  expires_at?: string;
}

/** @param expiresIn a duration in the identity service's format: `15m`, `24h` */
export const createRecovery = (kind: 'code' | 'link', id: string, expiresIn: string): Promise<Recovery> =>
  request<Recovery>(identityAdmin(`/recovery/${kind}`), {
    method: 'POST',
    body: { identity_id: id, expires_in: expiresIn },
  });

/** The identity service decides whether a credential may be deleted; the dialog shows its reason. */
export function DeleteCredential(props: { identity: Identity; item: CredentialItem; onClose: () => void }) {
  const { identity, item, onClose } = props;
  const { type } = item.credential;
  const queryClient = useQueryClient();
  const name = item.identifier === undefined ? credentialName(type) : `${credentialName(type)} ${item.identifier}`;
  return (
    <ConfirmDialog
      title={`Delete ${name} of ${displayName(identity)}?`}
      consequences={consequencesOf(item.credential)}
      action="Delete"
      onClose={onClose}
      act={async () => {
        await deleteCredential(identity.id, type, item.identifier);
        void queryClient.invalidateQueries({ queryKey: identityQuery(identity.id).queryKey });
        // The identity service reports success for some that it keeps, so check.
        const left = await queryClient.fetchQuery({ ...identityCredentialsQuery(identity.id), staleTime: 0 });
        if (isThere(credentialItems(left), item))
          throw new Error('The identity service reported success but did not delete it.');
        toast(`${name} is deleted`);
        onClose();
      }}
    />
  );
}

function consequencesOf({ type, keys = [] }: IdentityCredential): string[] {
  const secondFactor = ['totp', 'lookup_secret', 'webauthn'].includes(type);
  return [
    ...(keys.length > 1 ? [`All ${keys.length} keys are deleted; only the person can remove a single one.`] : []),
    secondFactor
      ? 'The person then signs in without this second factor until they set it up again.'
      : 'The person can no longer sign in this way.',
    'Existing sessions continue. If the account may be compromised, end them on the Sessions tab.',
    `${CANNOT_BE_UNDONE} The person has to set it up again.`,
    'The identity service refuses to delete the last way to sign in.',
  ];
}
