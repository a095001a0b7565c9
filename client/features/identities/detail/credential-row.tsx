import { Button, Text } from '@mantine/core';
import { counted } from '../../../format/counted.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import type { CredentialItem } from './credential-items.ts';
import { credentialName } from './credential-names.ts';
import classes from './plain-list.module.css';

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
