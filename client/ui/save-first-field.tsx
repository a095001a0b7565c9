import { Checkbox } from '@mantine/core';

export const SaveFirstField = (props: { about: string; chosen: boolean; onChange: (chosen: boolean) => void }) => (
  <Checkbox
    label="Save as JSON first"
    description={props.about}
    checked={props.chosen}
    onChange={(event) => props.onChange(event.currentTarget.checked)}
  />
);
