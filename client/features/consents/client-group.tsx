import { Anchor, Button, Group, Paper, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { visibleText } from '../../format/visible-text.ts';
import { GuardedButton } from '../../ui/guarded-button.tsx';
import type { ClientConsents, Revocation } from './consent-groups.ts';
import { ConsentRow } from './consent-row.tsx';
import { clientCalled } from './consent-words.ts';
import classes from './consents.module.css';

/** A person who signs in daily has hundreds: each sign-in leaves one. */
const SHOWN = 5;

/** What one client was granted. @param refusal why nothing of it can be revoked by this operator */
export function ClientGroup(props: {
  group: ClientConsents;
  refusal: string | undefined;
  onRevoke: (revocation: Revocation) => void;
}) {
  const { group, refusal, onRevoke } = props;
  const { clientId, consents } = group;
  const [open, setOpen] = useState(false);
  const name = visibleText(clientCalled(group));
  const shown = open ? consents : consents.slice(0, SHOWN);
  const more = consents.length - SHOWN;
  return (
    <Paper withBorder component="section" aria-label={name}>
      <div className={classes.head}>
        <div>
          <Title order={2} size="h5">
            <ClientName id={clientId} name={name} />
          </Title>
          {clientId !== '' && clientId !== clientCalled(group) && (
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
