import { Anchor, Button, Group, Paper, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Consent } from '../../api/consents.ts';
import { visibleText } from '../../format/visible-text.ts';
import { GuardedButton } from '../../ui/guarded-button.tsx';
import { exactTime, RelativeTime } from '../../ui/relative-time.tsx';
import { type ClientConsents, clientTitle, formatMemory, formatSignIn, type Revocation } from './consent-groups.ts';
import classes from './consents.module.css';

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
