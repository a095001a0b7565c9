import { Group, Text } from '@mantine/core';
import { useOperatorNames } from '../../../api/operator-names.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { CopyableFact } from '../../../resource/detail/heading-facts.tsx';

/** Whose records are shown, where the address names an operator by the id. */
export function ShownOperator({ id }: { id: string }) {
  const { name, email } = useOperatorNames([id]).get(id.toLowerCase()) ?? {};
  const called = [name, email].filter((text) => text != null).map(visibleText);
  return (
    <Group gap="xs" mt="sm">
      <Text span size="sm">
        Records of {called.length === 0 ? 'the operator' : called.join(', ')}
      </Text>
      <CopyableFact label="Copy the id" text={id} />
    </Group>
  );
}
