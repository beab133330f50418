// Which words of one translation are not in another, by the longest common subsequence.

export function differingWords(words, others) {
  const rows = words.length, columns = others.length;
  const longest = Array.from({ length: rows + 1 }, () => new Array(columns + 1).fill(0));
  for (let i = rows - 1; i >= 0; --i)
    for (let j = columns - 1; j >= 0; --j)
      longest[i][j] = words[i] === others[j]
        ? longest[i + 1][j + 1] + 1
        : Math.max(longest[i + 1][j], longest[i][j + 1]);
  const differs = words.map(() => true);
  let i = 0, j = 0;
  while (i < rows && j < columns) {
    if (words[i] === others[j]) {
      differs[i] = false;
      ++i, ++j;
    } else if (longest[i + 1][j] >= longest[i][j + 1]) ++i;
    else ++j;
  }
  return differs;
}
