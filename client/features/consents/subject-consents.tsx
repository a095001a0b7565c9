import { Box, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import {
  type Consent,
  type ConsentSelection,
  consentsQuery,
  endLoginSessions,
  revokeConsents,
} from '../../api/consents.ts';
import { identityQuery } from '../../api/identities.ts';
import { useCan } from '../../api/session.ts';
import { holders } from '../../deployment.ts';
import { displayName, identifierOf, nameOf } from '../../lib/identity-name.ts';
import { shortened, visibleText } from '../../lib/visible-text.ts';
import { WriteButton } from '../../record/actions.tsx';
import { useRecord } from '../../record/tabs.tsx';
import { SmallButton } from '../../ui/buttons.tsx';
import { CONSENTS_STAY_REVOKED, ConfirmDialog, SESSIONS_STAY_ENDED } from '../../ui/confirm-dialog.tsx';
import { exactTime, RelativeTime } from '../../ui/facts.tsx';
import { Dimmed, TextLink } from '../../ui/layout.tsx';
import { ListSkeleton } from '../../ui/loading.tsx';
import { IdentityLink } from '../../ui/person.tsx';
import { QueryState } from '../../ui/query-state.tsx';
import { NoAccessPanel, StatePanel } from '../../ui/state-panel.tsx';
import { toast } from '../../ui/toasts.tsx';
import {
  byClient,
  type ClientConsents,
  clientTitle,
  formatConsents,
  formatMemory,
  formatSignIn,
} from './consent-groups.ts';

/**
 * Lists the consents of one subject, with buttons to revoke them.
 * @param whose the name of the subject in dialogs
 * @param client only consents to this client id
 * @param beside a link to more about the subject
 * @param nothing replaces an empty list
 */
export function SubjectConsents(props: {
  subject: string;
  whose: string;
  client?: string | undefined;
  beside?: ReactNode;
  nothing: ReactNode;
}) {
  const { subject, whose, client } = props;
  const query = useInfiniteQuery(consentsQuery(subject));
  const { hasNextPage } = query;
  const [dialog, setDialog] = useState<Revocation | 'login sessions'>();
  const close = (): void => setDialog(undefined);
  const all = query.data?.pages.flatMap(({ rows }) => rows) ?? [];
  const groups = byClient(all.filter(({ clientId }) => client === undefined || clientId === client));

  return (
    <Stack gap="md">
      <Group justify="space-between" gap="xs">
        <Group gap="md" miw={0}>
          {props.beside}
          <Dimmed role="status">{groups.length > 0 && formatConsents(groups, !hasNextPage)}</Dimmed>
        </Group>
        <Group gap="xs">
          {all.length > 0 && (
            <WriteButton
              needs="consents.revoke"
              onClick={() => setDialog({ meant: 'all', name: `all consents of ${shortened(whose)}` })}
            >
              Revoke all…
            </WriteButton>
          )}
          <WriteButton needs="sessions.end" onClick={() => setDialog('login sessions')}>
            End login sessions…
          </WriteButton>
        </Group>
      </Group>
      <QueryState query={query} loading={<ListSkeleton label="Loading the consents" rows={4} />}>
        {() =>
          all.length === 0 && !hasNextPage ? (
            props.nothing
          ) : groups.length === 0 ? (
            <StatePanel
              kind="no-match"
              title={hasNextPage ? 'No consents to this client loaded yet' : 'No consents to this client'}
              text="There are consents to other clients."
            />
          ) : (
            groups.map((group) => <ClientGroup key={group.clientId} group={group} onRevoke={setDialog} />)
          )
        }
      </QueryState>
      {hasNextPage && (
        <Group gap="sm">
          <SmallButton loading={query.isFetching} onClick={() => void query.fetchNextPage()}>
            Load more
          </SmallButton>
          <Dimmed size="xs">
            The OAuth server returns consents in no particular order: newer ones may not be loaded yet.
          </Dimmed>
        </Group>
      )}
      {dialog === 'login sessions' ? (
        <EndLoginSessions subject={subject} whose={whose} onClose={close} />
      ) : (
        dialog && <RevokeConsents subject={subject} revocation={dialog} onClose={close} />
      )}
    </Stack>
  );
}

/** Every sign-in adds a consent, so a daily user has hundreds. */
const NEWEST = 5;

/** Others revoke all consents to a client: the request for a single one does not name the person. */
const useMayRevokeOne = (): boolean => useCan()('upstreams.write');

function ClientGroup({ group, onRevoke }: { group: ClientConsents; onRevoke: (revocation: Revocation) => void }) {
  const { clientId, consents } = group;
  const mayRevokeOne = useMayRevokeOne();
  const [isOpen, setOpen] = useState(false);
  const name = visibleText(clientTitle(group));
  const older = consents.length - NEWEST;
  return (
    <Paper withBorder component="section" data-rows aria-label={name}>
      <Group justify="space-between" wrap="nowrap" px="md" py="sm">
        <Box miw={0}>
          <Title order={2}>
            <ClientName id={clientId} name={name} />
          </Title>
          {clientId !== '' && clientId !== clientTitle(group) && (
            <Text size="xs" c="dimmed" ff="monospace">
              <bdi>{visibleText(clientId)}</bdi>
            </Text>
          )}
        </Box>
        {clientId !== '' && (consents.length > 1 || !mayRevokeOne) && (
          <WriteButton
            needs="consents.revoke"
            aria-label={consents.length > 1 ? undefined : `Revoke the consent to ${name}`}
            onClick={() => onRevoke({ meant: { clientId }, name: `all consents to ${shortened(name)}` })}
          >
            {consents.length > 1 ? `Revoke these ${consents.length}…` : 'Revoke…'}
          </WriteButton>
        )}
      </Group>
      <ul data-rows>
        {consents.slice(0, isOpen ? undefined : NEWEST).map((consent) => (
          <ConsentRow key={consent.id} consent={consent} onRevoke={onRevoke} />
        ))}
      </ul>
      {older > 0 && (
        <Group px="xs" py={6}>
          <Button size="xs" variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Show only the newest' : `Show ${older} older`}
          </Button>
        </Group>
      )}
    </Paper>
  );
}

const ClientName = ({ id, name }: { id: string; name: string }) =>
  !useCan()('clients.read') || id === '' ? (
    <bdi>{name}</bdi>
  ) : (
    <TextLink inherit to="/oauth/clients/$id" params={{ id }}>
      <bdi>{name}</bdi>
    </TextLink>
  );

/** "2 hours ago · openid, profile", with audience, sign-in and how long it is remembered below. */
function ConsentRow({ consent, onRevoke }: { consent: Consent; onRevoke: (revocation: Revocation) => void }) {
  const { id, at, scopes, audiences } = consent;
  const mayRevokeOne = useMayRevokeOne();
  const when = at === '' ? 'from an unknown time' : `from ${exactTime(at)}`;
  const details = [
    audiences.length > 0 ? `for ${audiences.join(', ')}` : undefined,
    formatSignIn(consent),
    formatMemory(consent.rememberedFor),
  ].filter((words) => words !== undefined);
  return (
    <Group component="li" justify="space-between" wrap="nowrap" px="md" py="sm">
      <Box miw={0}>
        <Text size="sm" fw={500}>
          <RelativeTime at={at} />
          {' · '}
          <bdi>{visibleText(scopes.join(', ')) || 'no scope'}</bdi>
        </Text>
        <Dimmed size="xs">
          {details.map((words, index) => (
            <span key={words}>
              {index > 0 && ' · '}
              <bdi>{visibleText(words)}</bdi>
            </span>
          ))}
        </Dimmed>
      </Box>
      {mayRevokeOne && (
        <WriteButton
          aria-label={`Revoke the consent ${when}`}
          onClick={() => onRevoke({ meant: { id }, name: `the consent to ${shortened(clientTitle(consent))} ${when}` })}
        >
          Revoke…
        </WriteButton>
      )}
    </Group>
  );
}

/** A link to the identity with the subject's id, by name once loaded; only its page reports whether it exists. */
export function SubjectLink({ id }: { id: string }) {
  const { data } = useQuery(identityQuery(id));
  return <IdentityLink name={data && nameOf(data)} identifier={data && identifierOf(data)} id={id} />;
}

/** The tab of an identity's page: consents whose subject is the identity's id. */
export function ConsentsTab() {
  const identity = useRecord(identityQuery);
  const may = useCan();
  if (!may('consents.read')) return <NoAccessPanel needs={['consents.read']} />;
  return (
    <Stack gap="sm">
      <Dimmed>
        Consents whose OAuth subject is this identity’s ID.{' '}
        {may('upstreams.write') ? (
          <>
            If your login page uses another subject,{' '}
            <TextLink inherit underline="always" to="/oauth/consents" search={{}}>
              search for it
            </TextLink>
            .
          </>
        ) : (
          `Only ${holders(['upstreams.write'])} can see those with another subject.`
        )}
      </Dimmed>
      <SubjectConsents
        subject={identity.id}
        whose={displayName(identity)}
        nothing={
          <StatePanel
            kind="no-data"
            title="No consents"
            text="This person has not consented to any application, or all consents have been revoked."
          />
        }
      />
    </Stack>
  );
}

/** The consents to revoke, and their name in a sentence: "the consent to Web shop". */
export interface Revocation {
  meant: ConsentSelection;
  name: string;
}

function RevokeConsents(props: { subject: string; revocation: Revocation; onClose: () => void }) {
  const { meant, name } = props.revocation;
  const queryClient = useQueryClient();
  const isOne = meant !== 'all' && 'id' in meant;
  return (
    <ConfirmDialog
      title={`Revoke ${name}?`}
      consequence={`All tokens issued under ${isOne ? 'this consent' : 'these consents'} are revoked at once, including refresh tokens.`}
      details={[
        ...(isOne ? ['Other consents and their tokens remain.'] : []),
        'Applications with sessions of their own are not notified: they may continue until they next use a token.',
        'Login sessions at the OAuth server remain, and applications can ask for consent again.',
        CONSENTS_STAY_REVOKED,
      ]}
      action={isOne ? 'Revoke consent' : 'Revoke consents'}
      onClose={props.onClose}
      act={async (reason) => {
        const count = await revokeConsents(queryClient, props.subject, meant, reason);
        toast(count === 0 ? 'There was nothing left to revoke' : `Revoked ${name}`);
        props.onClose();
      }}
    />
  );
}

/** @param whose the subject's name */
const EndLoginSessions = (props: { subject: string; whose: string; onClose: () => void }) => (
  <ConfirmDialog
    title={`End the login sessions of ${shortened(props.whose)}?`}
    consequence="The person is signed out at the OAuth server in every browser: the next application asks them to sign in again."
    details={[
      'Their session at the identity service continues: while it lasts, signing in again may not require a password.',
      'Consents and tokens remain. To end the tokens, too, revoke the consents.',
      'The OAuth server does not list login sessions, or say whether there were any.',
      SESSIONS_STAY_ENDED,
    ]}
    action="End login sessions"
    onClose={props.onClose}
    act={async (reason) => {
      await endLoginSessions(props.subject, reason);
      toast(`Ended the login sessions of ${shortened(props.whose)}, if there were any`);
      props.onClose();
    }}
  />
);
