import { Anchor, Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FoundIdentity } from '../../../../shared/identities.ts';
import type { Identity } from '../../../api/identities-record.ts';
import { similarIdentities } from '../../../api/similar-identities.ts';
import { displayName, identifierOf, nameOf } from '../../../format/identity-name.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { FailurePanel } from '../../../ui/feedback/failure-panel.tsx';
import classes from './can-they-sign-in.module.css';
import { isSimilar, similarParts } from './similar-parts.ts';

/** Who has an identifier that is easily taken for this person's. Asked only on a click, since it is an audited search. */
export function SimilarIdentifiers({ identity }: { identity: Identity }) {
  const identifier = identifierOf(identity);
  const parts = identifier === undefined ? [] : similarParts(identifier);
  const search = useMutation({
    mutationFn: async () => {
      const found = await similarIdentities(parts);
      return found === null ? null : found.filter((one) => one.id !== identity.id && resembles(one, identifier ?? ''));
    },
    retry: false,
  });
  if (identifier === undefined || parts.length === 0) return null;
  const { data } = search;
  return (
    <div className={classes.foot} role="status">
      {search.error !== null && <FailurePanel error={search.error} onRetry={() => search.mutate()} />}
      {data === undefined && search.error === null && (
        <Button size="compact-sm" variant="default" loading={search.isPending} onClick={() => search.mutate()}>
          Look for similar identifiers
        </Button>
      )}
      {data === null && (
        <Text size="sm">Similar identifiers cannot be searched for: the index is off or still empty.</Text>
      )}
      {data?.length === 0 && (
        <Text size="sm">Nobody else was found with an identifier like {visibleText(identifier)}.</Text>
      )}
      {data != null && data.length > 0 && (
        <>
          <Text size="sm">They may be typing, or somebody may have given, an identifier that looks like theirs:</Text>
          <ul className={classes.findings} aria-label="Similar identifiers">
            {data.map((one) => (
              <li key={one.id}>
                <Anchor
                  size="sm"
                  renderRoot={(props) => (
                    <Link {...props} to="/identities/$id" params={{ id: one.id }} preload={false} />
                  )}
                >
                  {visibleText(displayName(one))}
                </Anchor>{' '}
                <Text span size="sm" c="dimmed">
                  {visibleText(nameOf(one) ?? '')}
                </Text>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

const resembles = (one: FoundIdentity, identifier: string): boolean => {
  const other = identifierOf(one);
  return other !== undefined && isSimilar(other, identifier);
};
