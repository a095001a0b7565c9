import { Anchor, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type Consent, consentsQuery } from '../../api/consents.ts';
import { identityQuery } from '../../api/identities.ts';
import { useCan, useRefusal } from '../../api/session.ts';
import { displayName } from '../../lib/identity-name.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { GuardedButton } from '../../ui/buttons.tsx';
import { exactTime, RelativeTime } from '../../ui/facts.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { ListSkeleton } from '../../ui/loading.tsx';
import { NoAccessPanel, StatePanel } from '../../ui/state-panel.tsx';
import {
  byClient,
  type ClientConsents,
  clientTitle,
  formatConsents,
  formatMemory,
  formatSignIn,
  type Revocation,
} from './consent-groups.ts';
import classes from './consents.module.css';
import { EndLoginSessions, RevokeConsents } from './revoke-consents.tsx';

/**
 * The consents of one subject, in every state of the query, with buttons that revoke them.
 * @param whose the name of the subject in a dialog
 * @param client the id of the only client whose consents are shown
 * @param beside a link to more about the subject
 * @param nothing replaces the list if there are no consents
 */
export function SubjectConsents(props: {
  subject: string;
  whose: string;
  client?: string | undefined;
  beside?: ReactNode;
  nothing: ReactNode;
}) {
  const { subject, whose, client } = props;
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery(consentsQuery(subject));
  const refusal = useRefusal('upstreams.write');
  const [revocation, setRevocation] = useState<Revocation>();
  const [ending, setEnding] = useState(false);
  const all = data?.pages.flatMap(({ rows }) => rows);
  const groups = byClient(all?.filter(({ clientId }) => client === undefined || clientId === client) ?? []);

  return (
    <Stack gap="md">
      <Group justify="space-between" gap="xs">
        <Group gap="sm">
          <Text size="sm" c="dimmed" role="status">
            {groups.length > 0 && formatConsents(groups, !hasNextPage)}
          </Text>
          {props.beside}
        </Group>
        <Group gap="xs">
          {all !== undefined && all.length > 0 && (
            <GuardedButton
              size="xs"
              variant="default"
              reason={refusal}
              onClick={() => setRevocation({ meant: 'all', called: `all consents of ${whose}` })}
            >
              Revoke all…
            </GuardedButton>
          )}
          <GuardedButton size="xs" variant="default" reason={refusal} onClick={() => setEnding(true)}>
            End login sessions…
          </GuardedButton>
        </Group>
      </Group>
      {error !== null && !isFetching && (
        <FailurePanel
          error={error}
          {...(data === undefined ? {} : { title: 'What is shown may be out of date' })}
          onRetry={() => void refetch()}
        />
      )}
      {all === undefined ? (
        (error === null || isFetching) && <ListSkeleton label="Loading the consents" rows={4} />
      ) : all.length === 0 && !hasNextPage ? (
        props.nothing
      ) : groups.length === 0 ? (
        <StatePanel kind="no-match" title="Nothing is granted to this client" text="There are consents to others." />
      ) : (
        groups.map((group) => (
          <ClientGroup key={group.clientId} group={group} refusal={refusal} onRevoke={setRevocation} />
        ))
      )}
      {hasNextPage && (
        <Group gap="sm">
          <Button size="xs" variant="default" loading={isFetching} onClick={() => void fetchNextPage()}>
            Load more
          </Button>
          <Text size="xs" c="dimmed">
            The OAuth server returns them in no particular order: more recent ones may be among those not loaded yet.
          </Text>
        </Group>
      )}
      {revocation !== undefined && (
        <RevokeConsents
          subject={subject}
          meant={revocation.meant}
          called={revocation.called}
          onClose={() => setRevocation(undefined)}
        />
      )}
      {ending && <EndLoginSessions subject={subject} whose={whose} onClose={() => setEnding(false)} />}
    </Stack>
  );
}

/** Somebody who signs in daily has hundreds: each sign-in adds one. */
const SHOWN = 5;

/** The consents to one client. @param refusal why this operator cannot revoke them */
export function ClientGroup(props: {
  group: ClientConsents;
  refusal: string | undefined;
  onRevoke: (revocation: Revocation) => void;
}) {
  const { group, refusal, onRevoke } = props;
  const { clientId, consents } = group;
  const [open, setOpen] = useState(false);
  const name = visibleText(clientTitle(group));
  const shown = open ? consents : consents.slice(0, SHOWN);
  const more = consents.length - SHOWN;
  return (
    <Paper withBorder component="section" aria-label={name}>
      <div className={classes.head}>
        <div>
          <Title order={2} size="h5">
            <ClientName id={clientId} name={name} />
          </Title>
          {clientId !== '' && clientId !== clientTitle(group) && (
            <Text size="xs" c="dimmed" ff="monospace">
              <bdi>{visibleText(clientId)}</bdi>
            </Text>
          )}
        </div>
        {clientId !== '' && consents.length > 1 && (
          <GuardedButton
            size="compact-sm"
            variant="default"
            reason={refusal}
            onClick={() => onRevoke({ meant: { clientId }, called: `all consents to ${name}` })}
          >
            Revoke these {consents.length}…
          </GuardedButton>
        )}
      </div>
      <ul className={classes.list}>
        {shown.map((consent) => (
          <ConsentRow key={consent.id} consent={consent} refusal={refusal} onRevoke={onRevoke} />
        ))}
      </ul>
      {more > 0 && (
        <Group className={classes.foot}>
          <Button size="compact-sm" variant="subtle" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? 'Show the latest only' : `Show ${more} older`}
          </Button>
        </Group>
      )}
    </Paper>
  );
}

const ClientName = ({ id, name }: { id: string; name: string }) =>
  id === '' ? (
    <bdi>{name}</bdi>
  ) : (
    <Anchor inherit renderRoot={(props) => <Link {...props} to="/oauth/clients/$id" params={{ id }} preload={false} />}>
      <bdi>{name}</bdi>
    </Anchor>
  );

/** "2 hours ago · openid, profile", and what else is known about it. */
function ConsentRow(props: {
  consent: Consent;
  refusal: string | undefined;
  onRevoke: (revocation: Revocation) => void;
}) {
  const { consent } = props;
  const { id, at, scopes, audiences } = consent;
  const when = at === '' ? 'of an unknown time' : `of ${exactTime(at)}`;
  const more = [
    audiences.length > 0 ? `for ${audiences.join(', ')}` : undefined,
    formatSignIn(consent),
    formatMemory(consent.rememberedFor),
  ].filter((words) => words !== undefined);
  return (
    <li className={classes.item}>
      <div>
        <Text size="sm" fw={500}>
          <RelativeTime at={at} />
          {' · '}
          <bdi>{visibleText(scopes.join(', ')) || 'no scope'}</bdi>
        </Text>
        <Text size="xs" c="dimmed">
          {more.map((words, index) => (
            <span key={words}>
              {index > 0 && ' · '}
              <bdi>{visibleText(words)}</bdi>
            </span>
          ))}
        </Text>
      </div>
      <GuardedButton
        size="compact-sm"
        variant="default"
        reason={props.refusal}
        aria-label={`Revoke the consent ${when}`}
        onClick={() =>
          props.onRevoke({ meant: { id }, called: `the consent to ${visibleText(clientTitle(consent))} ${when}` })
        }
      >
        Revoke…
      </GuardedButton>
    </li>
  );
}

/** To the identity whose id is the subject, by its name once that is known; its page says whether it exists. */
export function IdentityLink({ id }: { id: string }) {
  const { data } = useQuery(identityQuery(id));
  return (
    <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/identities/$id" params={{ id }} preload={false} />}>
      Open {data === undefined ? 'the identity' : visibleText(displayName(data))}
    </Anchor>
  );
}

const route = getRouteApi('/signed-in/identities/$id/consents');

/** On the page of an identity: the consents with its id as the subject. */
export function ConsentsTab() {
  const { id } = route.useParams();
  const { data: identity } = useQuery({ ...identityQuery(id), enabled: false });
  const may = useCan();
  if (!may('upstreams.read')) return <NoAccessPanel />;
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        What was granted with this identity’s id as the OAuth subject. If your login page uses another subject,{' '}
        <Anchor
          inherit
          underline="always"
          renderRoot={(props) => <Link {...props} to="/oauth/consents" search={{}} preload={false} />}
        >
          look that one up
        </Anchor>
        .
      </Text>
      <SubjectConsents
        subject={id}
        whose={identity === undefined ? id : displayName(identity)}
        nothing={
          <StatePanel
            kind="no-data"
            title="No consents"
            text="This person has granted nothing to any application, or all of it is revoked."
          />
        }
      />
    </Stack>
  );
}
