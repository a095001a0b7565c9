import { Badge, Button, Text } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { Link, useMatchRoute } from '@tanstack/react-router';
import type { Identity } from '../../../api/identities-record.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { identifierOf, nameOf } from '../../../wording/identity-name.ts';
import { stateInWords } from '../state-in-words.ts';
import classes from './identity-header.module.css';
import { IdentityMenu } from './identity-menu.tsx';

export function IdentityHeader({ identity }: { identity: Identity }) {
  const { id, traits, state } = identity;
  const identifier = identifierOf(traits);
  const edit = { to: '/identities/$id/traits/edit', params: { id } } as const;
  const editing = useMatchRoute()(edit) !== false;
  return (
    <PageHeading
      title={nameOf(traits) ?? identifier ?? 'Identity without a name'}
      about={
        <span className={classes.facts}>
          <Badge
            component="span"
            variant={state === 'active' ? 'light' : 'default'}
            color={state === 'active' ? undefined : 'gray'}
            tt="none"
          >
            {stateInWords(state)}
          </Badge>
          {identifier !== undefined && (
            <span className={classes.copyable}>
              {identifier}
              <CopyButton label="Copy the identifier" read={() => identifier} />
            </span>
          )}
          <span className={classes.copyable}>
            <Text span size="xs" ff="monospace">
              {id}
            </Text>
            <CopyButton label="Copy the id" read={() => id} />
          </span>
        </span>
      }
      actions={
        <>
          {!editing && (
            <Button
              leftSection={<IconPencil size={16} aria-hidden />}
              renderRoot={(props) => <Link {...props} {...edit} state={(current) => current} preload={false} />}
            >
              Edit
            </Button>
          )}
          <IdentityMenu identity={identity} />
        </>
      }
    />
  );
}
