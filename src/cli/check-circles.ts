import { findCircles, readImportGraph } from './import-graph.ts'
import { errorOf, type Problem } from './problem.ts'
import { AGENTS_FILE } from './project-files.ts'

/**
 * Definitions that import each other in a circle: whichever file is loaded first finds the other's exports
 * missing, and each function's entry loads another one first. Throws esbuild's error when a file cannot be
 * read.
 */
export async function checkCircles(directory: string): Promise<readonly Problem[]> {
  const graph = await readImportGraph(directory, [AGENTS_FILE])
  return findCircles(graph).map((circle) =>
    errorOf(
      `${circle.join(' imports ')}: a circle, in which one file needs another before it has run; ` +
        'take out one of the palettes or steps, or move what both need to a file of its own',
    ),
  )
}
