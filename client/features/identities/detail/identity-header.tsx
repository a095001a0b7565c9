import { Badge, Button } from '@mantine/core';
import { Link, useMatchRoute } from '@tanstack/react-router';
import { identifierOf, nameOf } from '../../../../shared/identity-name.ts';
import type { Identity } from '../../../api/identities-record.ts';
import { CopyableFact, HeadingFacts } from '../../../resource/detail/heading-facts.tsx';
import { IconPencil } from '../../../resource/icons.ts';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { formatState } from '../format-state.ts';
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
        <HeadingFacts>
          <Badge
            component="span"
            variant={state === 'active' ? 'light' : 'default'}
            color={state === 'active' ? undefined : 'gray'}
            tt="none"
          >
            {formatState(state)}
          </Badge>
          {identifier !== undefined && (
            <CopyableFact label="Copy the identifier" text={identifier}>
              {identifier}
            </CopyableFact>
          )}
          <CopyableFact label="Copy the id" text={id} />
        </HeadingFacts>
      }
      actions={
        <>
          {!editing && (
            <Button
              leftSection={<IconPencil />}
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
