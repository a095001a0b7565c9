import { Link } from '@tanstack/react-router';
import { hasPeople } from '../deployment.ts';
import { visibleText } from '../lib/visible-text.ts';
import { withBreaks } from '../lib/with-breaks.tsx';
import classes from './person.module.css';

interface PersonProps {
  name: string | undefined;
  identifier: string | undefined;
  id: string;
  oneLine?: boolean;
  tabIndex?: 0 | -1;
}

/** A person's name with the identifier below it, or the one that is known, or else the id. */
export function Person(props: PersonProps) {
  const { id, oneLine } = props;
  const [first, second] = [props.name, props.identifier]
    .filter((text) => text !== undefined && text !== '')
    .map((text) => visibleText(text as string));
  const below = second === first ? undefined : second;
  return (
    <span
      className={classes.person}
      data-initials={initialsOf(props.name || props.identifier)}
      data-one-line={oneLine || undefined}
      title={below === undefined ? (first ?? id) : `${first}, ${below}`}
    >
      <bdi className={first === undefined ? classes.id : classes.name}>{withBreaks(first ?? id)}</bdi>
      {below !== undefined && (
        <>
          {' '}
          <bdi className={classes.identifier}>{withBreaks(below)}</bdi>
        </>
      )}
    </span>
  );
}

/** A person, linked to the identity with this id if the deployment has identities. */
export const IdentityLink = (props: PersonProps) =>
  hasPeople() ? (
    <Link
      to={'/identities/$id' as never}
      params={{ id: props.id } as never}
      className={classes.link}
      tabIndex={props.tabIndex}
    >
      <Person {...props} />
    </Link>
  ) : (
    <Person {...props} />
  );

/** `AL` for Ada Lovelace, `A` for ada@example.org, `#` for a telephone number. */
function initialsOf(text = ''): string {
  if (/^\+?[\d\s()./-]+$/.test(text)) return '#';
  const words = text.replace(/@.*/s, '').split(/\s+/);
  const letters = words.flatMap((word) => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? []);
  return `${letters[0] ?? ''}${letters.length > 1 ? letters.at(-1) : ''}`.toUpperCase();
}
