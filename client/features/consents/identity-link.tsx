import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { identityQuery } from '../../api/identities-record.ts';
import { displayName } from '../../format/identity-name.ts';
import { visibleText } from '../../format/visible-text.ts';

/** To the identity whose id is the subject, by its name once that is known; its page says whether it exists. */
export function IdentityLink({ id }: { id: string }) {
  const { data } = useQuery(identityQuery(id));
  return (
    <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/identities/$id" params={{ id }} preload={false} />}>
      Open {data === undefined ? 'the identity' : visibleText(displayName(data))}
    </Anchor>
  );
}
