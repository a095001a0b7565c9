import { Badge, Code, Text } from '@mantine/core';
import { visibleText } from '../../../format/visible-text.ts';
import type { TraitNode } from '../trait-tree.ts';
import classes from './trait-nodes.module.css';

/** Traits as a nested list. */
export const TraitNodes = ({ traits }: { traits: readonly TraitNode[] }) => (
  <ul className={classes.traits}>
    {traits.map((trait) => (
      <li key={trait.key}>
        <Trait trait={trait} />
        {trait.children.length > 0 && <TraitNodes traits={trait.children} />}
      </li>
    ))}
  </ul>
);

function Trait({ trait }: { trait: TraitNode }) {
  const { key, title, kind, required, description, rules, uses } = trait;
  return (
    <div className={classes.trait}>
      <div className={classes.name}>
        <Text span fw={600} size="sm">
          <bdi>{visibleText(title)}</bdi>
        </Text>
        {title !== key && <Code>{visibleText(key)}</Code>}
        <Text span size="sm" c="dimmed">
          {visibleText(kind)}
        </Text>
        {required && (
          <Badge component="span" variant="light" tt="none" fw={500}>
            Required
          </Badge>
        )}
      </div>
      {description !== undefined && (
        <Text size="sm">
          <bdi>{visibleText(description)}</bdi>
        </Text>
      )}
      {rules.length > 0 && (
        <Text size="xs" c="dimmed">
          {visibleText(rules.join('; '))}
        </Text>
      )}
      {uses.length > 0 && (
        <dl className={classes.uses}>
          {uses.map(({ label, meaning }) => (
            <div key={label}>
              <dt>{visibleText(label)}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
